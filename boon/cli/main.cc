#include <csignal>
#include <iostream>

#include "boon/cli/app.h"
#include "boon/cli/terminal.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  // Whoever started us may have it ignored; "boon … | head" is to end in silence.
  std::signal(SIGPIPE, SIG_DFL);
  boon::cli::install_interrupt_handler();
  return boon::cli::run(argc, argv, std::cout, std::cerr);
}
