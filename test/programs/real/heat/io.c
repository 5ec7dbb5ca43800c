// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output: the field as coarse text instead of a picture.
#include <stdio.h>

#include "heat.h"

void write_field(field *temperature, int iter)
{
    int width = temperature->ny + 2;
    printf("heat_%04d\n", iter);
    for (int i = 1; i <= temperature->nx; i += temperature->nx / 6) {
        for (int j = 1; j <= temperature->ny; j += temperature->ny / 6)
            printf(" %12.8f", temperature->data[idx(i, j, width)]);
        printf("\n");
    }
}
