# SPDX-License-Identifier: Apache-2.0
"""What mindxtrain does in the Python that trains: its worker and its recorder. Started by the
program, not by people."""
