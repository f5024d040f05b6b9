// SPDX-License-Identifier: Apache-2.0
/// @file
/// The headers of the arm's clients (arm_clients.def).
#ifndef FIRMWARE_TRANSFER_ARM_CLIENTS_H
#define FIRMWARE_TRANSFER_ARM_CLIENTS_H

#include "firmware/transfer/arm_idle.h"
#include "firmware/transfer/load.h"
#include "firmware/transfer/maintenance_task.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/scan.h"
#include "firmware/transfer/service.h"

#endif  // FIRMWARE_TRANSFER_ARM_CLIENTS_H
