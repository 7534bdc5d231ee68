#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "boon/cli/app.h"

namespace {

// A descriptor that the caller closed would be given to the next file that is opened: a lock would be read as vectors,
// and notices written into an index. /dev/null takes its place, for reading alone, so that answers written to it are
// still noticed as lost.
void fill_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) == -1) ::open("/dev/null", O_RDONLY);  // the lowest that is free: this one
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_closed_descriptors();
  std::ios::sync_with_stdio(false);
  // Whoever started us may have it ignored; "boon … | head" is to end in silence.
  std::signal(SIGPIPE, SIG_DFL);
  return boon::cli::run(argc, argv, std::cout, std::cerr);
}
