/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler.h"
#include "rng.h"
#include "statistics.h"

static void assert_near(double got, double want, double relative)
{
	if (fabs(got - want) > relative * fabs(want))
		fail_msg("got %.12g, want %.12g", got, want);
}

static const double tails[] = {0.1, 0.05, 0.025, 0.01, 1e-3, 1e-4, 1e-5, 1e-6};

/* Row df - 1: the quantiles at these tails, from the incomplete beta function in 30 digits. */
/* clang-format off */
static const double t_table[40][MXT_ARRAY_LEN(tails)] = {
    {3.077683537, 6.313751515, 12.70620474, 31.82051595, 318.308839, 3183.098757, 31830.98861, 318309.8862},
    {1.885618083, 2.91998558, 4.30265273, 6.964556734, 22.32712477, 70.70007107, 223.6034436, 707.1057205},
    {1.637744354, 2.353363435, 3.182446305, 4.540702859, 10.21453185, 22.20374227, 47.92772838, 103.2994678},
    {1.533206274, 2.131846786, 2.776445105, 3.746947388, 7.17318222, 13.03367172, 23.3321827, 41.57785415},
    {1.475884049, 2.015048373, 2.570581836, 3.364929999, 5.893429531, 9.677566301, 15.54685453, 24.77102972},
    {1.439755747, 1.943180281, 2.446911851, 3.142668403, 5.207626239, 8.024792773, 12.03165318, 17.8303145},
    {1.414923928, 1.894578605, 2.364624252, 2.997951567, 4.785289629, 7.063432828, 10.10268425, 14.24146965},
    {1.39681531, 1.859548038, 2.306004135, 2.896459448, 4.500790934, 6.441999821, 8.907026871, 12.10983467},
    {1.383028738, 1.833112933, 2.262157163, 2.821437925, 4.296805663, 6.010132129, 8.102057879, 10.72016041},
    {1.372183641, 1.812461123, 2.228138852, 2.763769458, 4.143700494, 5.693820101, 7.526954019, 9.751995491},
    {1.363430318, 1.795884819, 2.20098516, 2.718079184, 4.024701038, 5.452762089, 7.097355559, 9.043275921},
    {1.356217334, 1.782287556, 2.17881283, 2.680997993, 3.929633265, 5.263273008, 6.765169242, 8.504302718},
    {1.350171289, 1.770933396, 2.160368656, 2.650308838, 3.851982391, 5.110578898, 6.501144914, 8.081844372},
    {1.345030374, 1.761310136, 2.144786688, 2.624494068, 3.787390238, 4.985013158, 6.286549358, 7.742509426},
    {1.340605608, 1.753050356, 2.131449546, 2.602480295, 3.732834425, 4.879998288, 6.108867895, 7.46438494},
    {1.336757167, 1.745883676, 2.119905299, 2.583487185, 3.686154793, 4.790910103, 5.959441671, 7.232542554},
    {1.33337939, 1.739606726, 2.109815578, 2.566933984, 3.64576738, 4.714406517, 5.83209966, 7.036486857},
    {1.330390944, 1.734063607, 2.10092204, 2.55237963, 3.610484885, 4.648014155, 5.72233117, 6.868638174},
    {1.327728209, 1.729132812, 2.093024054, 2.539483191, 3.579400149, 4.589864597, 5.626766233, 6.723394282},
    {1.325340707, 1.724718243, 2.085963447, 2.527977003, 3.551808343, 4.538520854, 5.542838633, 6.596530148},
    {1.323187874, 1.720742903, 2.079613845, 2.517648016, 3.527153669, 4.492860131, 5.468561135, 6.484802427},
    {1.321236742, 1.717144374, 2.073873068, 2.508324553, 3.504992031, 4.451992722, 5.402371794, 6.385682027},
    {1.31946024, 1.713871528, 2.06865761, 2.499866739, 3.484964375, 4.415204713, 5.343026536, 6.297169086},
    {1.317835934, 1.71088208, 2.063898562, 2.492159473, 3.466777298, 4.381916752, 5.289522601, 6.217662307},
    {1.316345073, 1.708140761, 2.059538553, 2.485107175, 3.450188727, 4.351653866, 5.241043, 6.145864984},
    {1.314971864, 1.70561792, 2.055529439, 2.478629824, 3.434997182, 4.324023037, 5.19691558, 6.080716288},
    {1.313702913, 1.703288446, 2.051830516, 2.472659912, 3.421033621, 4.2986963, 5.156582425, 6.021340256},
    {1.312526782, 1.701130934, 2.048407142, 2.467140098, 3.408155178, 4.275397855, 5.119576666, 5.967007415},
    {1.311433647, 1.699127027, 2.045229642, 2.46202136, 3.396240288, 4.253894118, 5.085504702, 5.91710554},
    {1.310415025, 1.697260887, 2.042272456, 2.457261542, 3.385184867, 4.233985957, 5.054032421, 5.87111712},
    {1.309463549, 1.695518783, 2.039513446, 2.452824193, 3.37489928, 4.215502581, 5.024874408, 5.828601804},
    {1.308572793, 1.693888748, 2.036933343, 2.448677634, 3.365305926, 4.19829668, 4.997785408, 5.789182599},
    {1.307737124, 1.692360309, 2.034515297, 2.4447942, 3.356337279, 4.182240536, 4.972553528, 5.752534921},
    {1.306951587, 1.690924255, 2.032244509, 2.441149628, 3.347934313, 4.16722287, 4.948994764, 5.718377825},
    {1.306211802, 1.689572458, 2.030107928, 2.437722547, 3.340045202, 4.15314629, 4.926948574, 5.68646694},
    {1.305513886, 1.688297714, 2.028094001, 2.434494061, 3.332624257, 4.13992519, 4.906274258, 5.656588724},
    {1.304854381, 1.68709362, 2.026192463, 2.4314474, 3.325631045, 4.127484025, 4.886847999, 5.628555771},
    {1.304230204, 1.68595446, 2.024394164, 2.428567631, 3.319029655, 4.115755877, 4.868560405, 5.60220294},
    {1.303638589, 1.684875122, 2.02269092, 2.42584141, 3.312788083, 4.104681256, 4.851314474, 5.577384158},
    {1.303077053, 1.683851013, 2.02107539, 2.423256779, 3.306877714, 4.094207103, 4.835023895, 5.553969752},
};
/* clang-format on */

static void test_student_t_table(void **state)
{
	(void)state;
	for (unsigned df = 1; df <= MXT_ARRAY_LEN(t_table); df++)
		for (size_t i = 0; i < MXT_ARRAY_LEN(tails); i++)
			assert_near(mxt_student_t_upper(tails[i], df), t_table[df - 1][i], 1e-8);
}

static void test_student_t_becomes_normal(void **state)
{
	(void)state;
	assert_near(mxt_student_t_upper(0.025, 100000), 1.959963984540054, 3e-5);
	assert_near(mxt_student_t_upper(0.001, 100001), 3.090232306167813, 5e-5);
}

static void test_mean_and_deviation(void **state)
{
	(void)state;
	const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	assert_near(mxt_mean(values, 8), 5, 1e-15);
	assert_near(mxt_stddev(values, 8), sqrt(32.0 / 7), 1e-15);
	assert_true(mxt_stddev(values, 1) == 0);
	/* A large offset costs no digits. */
	const double shifted[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
	assert_near(mxt_stddev(shifted, 3), 1, 1e-12);
}

static void test_median_and_quantile(void **state)
{
	(void)state;
	double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2}, one[] = {7};
	assert_true(mxt_median(odd, 3) == 5);
	assert_true(mxt_median(even, 4) == 2.5);
	assert_true(mxt_median(one, 1) == 7);
	const double sorted[] = {10, 20, 30, 40, 50};
	assert_true(mxt_quantile(sorted, 5, 0) == 10);
	assert_true(mxt_quantile(sorted, 5, 0.2) == 18);
	assert_true(mxt_quantile(sorted, 5, 1) == 50);
}

static void test_trimmed(void **state)
{
	(void)state;
	double values[] = {100, 1, 2, 3, 4, -50};
	struct mxt_trimmed trimmed = mxt_trimmed(values, 6, 1);
	assert_near(trimmed.mean, 2.5, 1e-15);
	/* Winsorised: 1 1 2 3 4 4. */
	assert_near(trimmed.deviation, sqrt(9.5 / 5), 1e-15);

	double plain[] = {3, 1, 2};
	trimmed = mxt_trimmed(plain, 3, 0);
	assert_near(trimmed.mean, 2, 1e-15);
	assert_near(trimmed.deviation, 1, 1e-15);
}

/* The studentised trimmed mean passes a t quantile about as often as the quantile says. */
static void test_trimmed_follows_t(void **state)
{
	(void)state;
	enum { COUNT = 16, TRIM = 2, TRIALS = 200000 };
	struct mxt_rng rng = {7};
	const double tail = 1e-3;
	double limit = mxt_student_t_upper(tail, COUNT - 2 * TRIM - 1);
	unsigned above = 0;
	for (unsigned i = 0; i < TRIALS; i++) {
		double values[COUNT];
		for (size_t k = 0; k < COUNT; k++)
			values[k] = mxt_rng_normal(&rng);
		struct mxt_trimmed trimmed = mxt_trimmed(values, COUNT, TRIM);
		double error = trimmed.deviation * sqrt(COUNT) / (COUNT - 2 * TRIM);
		above += trimmed.mean > limit * error;
	}
	assert_in_range(above, 120, 280);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_student_t_table),
	    cmocka_unit_test(test_student_t_becomes_normal),
	    cmocka_unit_test(test_mean_and_deviation),
	    cmocka_unit_test(test_median_and_quantile),
	    cmocka_unit_test(test_trimmed),
	    cmocka_unit_test(test_trimmed_follows_t),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
