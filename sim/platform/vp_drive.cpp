#include "sim/platform/vp_drive.hpp"

namespace headstack::platform {

VpDrive::VpDrive(const drive::DriveDescription& description, tlm::TransactionBus& bus,
                 const tlm::CostTable& costs, const VpOptions& options, soc::SocListener* listener,
                 channel::HdaObserver* observer)
    : program_(description, options.scsi_id),
      disk_(description, options.start),
      core_(bus.agenda(), costs, program_),
      irq_ctrl_(core_),
      timer_(bus.agenda(), irq_ctrl_),
      trace_port_(bus.agenda(), listener),
      testdev_(bus.agenda(), listener, core_),
      buffer_mgr_(bus.agenda(), irq_ctrl_),
      scsi_target_(bus, buffer_mgr_, irq_ctrl_),
      servo_(bus.agenda(), irq_ctrl_, disk_),
      formatter_(bus.agenda(), irq_ctrl_, disk_, buffer_mgr_, servo_) {
  tlm::Core::Map map;
  // In the order of the address map (hdl/README.md).
  map.pages = {&timer_,       &irq_ctrl_,   &trace_port_, &testdev_,
               &scsi_target_, &buffer_mgr_, &formatter_,  &servo_};
  map.buffer = &buffer_mgr_;
  core_.connect(map);
  if (observer != nullptr) disk_.observe(observer);
}

}  // namespace headstack::platform
