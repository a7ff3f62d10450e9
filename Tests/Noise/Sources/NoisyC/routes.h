// SPDX-License-Identifier: Apache-2.0

#ifndef NOISY_C_ROUTE_TABLES_H
#define NOISY_C_ROUTE_TABLES_H

#include "NoisyCRoutes.h"

/// The tables of routes, each up to one without a name.
extern const noisyc_route noisyc_plain_routes[];
extern const noisyc_route noisyc_odd_routes[];

#define ROUTE(name, function) {(name), (function)}

#endif
