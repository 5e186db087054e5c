// What the environment says about the engine.
#pragma once

#include "src/base/environment.h"
#include "src/dropin/engine/engine.h"

namespace fastgemm::dropin {

// This process's number among those of its MPI job on this machine, as the launcher tells it; -1: there is none.
int local_rank(VariableSource source);

// The devices for a process of this rank: FASTGEMM_DEVICES, each rank one of them; or those of the machine. Empty: all.
std::vector<int> devices_for(const Environment& settings, int rank, int device_count);

EngineOptions engine_options(const Environment& settings, VariableSource source, int device_count);

}  // namespace fastgemm::dropin
