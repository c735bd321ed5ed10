/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_number.h"

#include <math.h>
#include <string.h>

static const struct {
	int32_t dtype;
	size_t bytes;
	const char *name;
} types[] = {
    {MXT_SIM_INT16, 2, "Short"},       {MXT_SIM_INT32, 4, "Int"},     {MXT_SIM_INT64, 8, "Long"},
    {MXT_SIM_FLOAT16, 2, "Half"},      {MXT_SIM_FLOAT32, 4, "Float"}, {MXT_SIM_FLOAT64, 8, "Double"},
    {MXT_SIM_BFLOAT16, 2, "BFloat16"},
};

size_t mxt_sim_dtype_bytes(int32_t dtype)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].dtype == dtype)
			return types[i].bytes;
	return 0;
}

const char *mxt_sim_dtype_name(int32_t dtype)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].dtype == dtype)
			return types[i].name;
	return "of a type that is not simulated";
}

static uint32_t float_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float bits_float(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint16_t to_bfloat16(double value)
{
	uint32_t bits = float_bits((float)value);
	if (isnan(value))
		return 0x7fc0;
	return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/* Five bits of exponent, ten of mantissa; below 2^-14 in steps of 2^-24. */
static uint16_t to_float16(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value);
	if (isnan(value))
		return 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	if (size < 0x1p-14)
		return sign | (uint16_t)nearbyint(ldexp(size, 24));
	int exponent;
	(void)frexp(size, &exponent);
	/* A mantissa that rounds up to 2048 carries into the exponent, as it must. */
	int mantissa = (int)nearbyint(ldexp(size, 11 - exponent));
	return sign | (uint16_t)(((exponent + 13) << 10) + mantissa);
}

static double from_float16(uint16_t bits)
{
	int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
	double size = exponent == 0 ? ldexp(mantissa, -24) : ldexp(mantissa + 1024, exponent - 25);
	if (exponent == 31)
		size = mantissa ? (double)NAN : (double)INFINITY;
	return bits & 0x8000 ? -size : size;
}

double mxt_sim_load(const void *base, int64_t index, int32_t dtype)
{
	switch (dtype) {
	case MXT_SIM_BFLOAT16:
		return (double)bits_float((uint32_t)((const uint16_t *)base)[index] << 16);
	case MXT_SIM_FLOAT16:
		return from_float16(((const uint16_t *)base)[index]);
	case MXT_SIM_FLOAT32:
		return (double)((const float *)base)[index];
	case MXT_SIM_FLOAT64:
		return ((const double *)base)[index];
	case MXT_SIM_INT16:
		return (double)((const int16_t *)base)[index];
	case MXT_SIM_INT32:
		return (double)((const int32_t *)base)[index];
	default:
		return (double)((const int64_t *)base)[index];
	}
}

void mxt_sim_store(void *base, int64_t index, int32_t dtype, double value)
{
	switch (dtype) {
	case MXT_SIM_BFLOAT16:
		((uint16_t *)base)[index] = to_bfloat16(value);
		break;
	case MXT_SIM_FLOAT16:
		((uint16_t *)base)[index] = to_float16(value);
		break;
	case MXT_SIM_FLOAT32:
		((float *)base)[index] = (float)value;
		break;
	case MXT_SIM_FLOAT64:
		((double *)base)[index] = value;
		break;
	case MXT_SIM_INT16:
		((int16_t *)base)[index] = (int16_t)value;
		break;
	case MXT_SIM_INT32:
		((int32_t *)base)[index] = (int32_t)value;
		break;
	default:
		((int64_t *)base)[index] = (int64_t)value;
	}
}

double mxt_sim_rounded(double value, int32_t dtype)
{
	uint64_t storage = 0;
	mxt_sim_store(&storage, 0, dtype, value);
	return mxt_sim_load(&storage, 0, dtype);
}
