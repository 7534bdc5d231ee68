// The program itself, as a process: signals, pipes, exit codes.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "boon/cli/cli_testing.h"
#include "boon/cli/parser_testing.h"
#include "boon/cli/terminal.h"

extern char** environ;

namespace boon::cli {
namespace {

using testing::HasSubstr;

struct Spawn {
  std::string file = {};  // empty: program()
  int err = -1;           // -1: the file "err"
};

class Process : public CommandLine {
 protected:
  // Built into the same folder as this test.
  static std::string program() {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "boon").native();
  }

  // Starts the program with these descriptors, -1 for one that is closed.
  pid_t start(std::vector<std::string> arguments, int in, int out, Spawn spawn = {}) const {
    if (spawn.file.empty()) spawn.file = program();
    std::vector<char*> argv{spawn.file.data()};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const auto& [from, to] : {std::pair(in, STDIN_FILENO), std::pair(out, STDOUT_FILENO)}) {
      if (from >= 0) {
        posix_spawn_file_actions_adddup2(&actions, from, to);
      } else {
        posix_spawn_file_actions_addclose(&actions, to);
      }
    }
    if (spawn.err >= 0) {
      posix_spawn_file_actions_adddup2(&actions, spawn.err, STDERR_FILENO);
    } else {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0644);
    }
    // A shell starts what is to run behind it with Ctrl-C ignored, and the tests may be that.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, spawn.file.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0) << "is the target `boon` built? " << spawn.file;
    return error == 0 ? pid : -1;
  }

  static int wait_for(pid_t pid) {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return status;
  }
};

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  void write(std::string_view text) const {
    // A program that ends early shall be a failed write and not our end.
    std::signal(SIGPIPE, SIG_IGN);
    while (!text.empty()) {
      const ssize_t written = ::write(ends[1], text.data(), text.size());
      ASSERT_GT(written, 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  std::array<int, 2> ends{-1, -1};
};

// A terminal that erases lines, for the program to write to and us to read.
struct Terminal {
  Terminal() : our_end(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(::grantpt(our_end), 0);
    EXPECT_EQ(::unlockpt(our_end), 0);
    std::array<char, 64> name{};
    EXPECT_EQ(::ptsname_r(our_end, name.data(), name.size()), 0);
    program_end = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_GE(program_end, 0);
    ::setenv("TERM", "xterm", 1);
  }
  ~Terminal() {
    close_program_end();
    ::close(our_end);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  void close_program_end() {
    if (program_end >= 0) ::close(program_end);
    program_end = -1;
  }
  // What was written; waits for something, and is empty when nobody is left to write.
  std::string read() const {
    std::array<char, 4096> text{};
    const ssize_t count = ::read(our_end, text.data(), text.size());
    return {text.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }
  int our_end;
  int program_end = -1;
};

struct Null {
  explicit Null(const char* name = "/dev/null") : descriptor(::open(name, O_RDWR | O_CLOEXEC)) {}
  ~Null() { ::close(descriptor); }
  Null(const Null&) = delete;
  Null& operator=(const Null&) = delete;
  int descriptor;
};

TEST_F(Process, AClosedPipeEndsItInSilence) {
  build_words();
  Pipe pipe;
  const Null null;
  pipe.close_end(0);
  const int status = wait_for(start({"search", path("words.boon"), "--like", "king"}, null.descriptor, pipe.ends[1]));
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
  EXPECT_EQ(get("err"), "");
}

TEST_F(Process, AFullDiskUnderStandardOutputIsAnError) {
  build_words();
  const Null null;
  const Null full("/dev/full");
  const int status =
      wait_for(start({"search", path("words.boon"), "--like", "king"}, null.descriptor, full.descriptor));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 8);
  EXPECT_THAT(get("err"), HasSubstr("standard output"));
}

TEST_F(Process, TheDemoKeepsAFileOfTheUserBesideTheProgram) {
  build_words();
  const std::string words = get("words.boon");
  std::filesystem::copy_file(program(), path("boon"));
  const Null null;
  const int status =
      wait_for(start({"demo", "--data", path("")}, null.descriptor, null.descriptor, {.file = path("boon")}));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_THAT(get("err"), HasSubstr("words.boon exists already"));
  EXPECT_EQ(get("words.boon"), words);
}

TEST_F(Process, AClosedStandardInputIsEmpty) {
  const Null null;
  const int status = wait_for(start({"build", "-", "-o", path("d.boon")}, -1, null.descriptor));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(get("err"), "boon: standard input is empty\n");
  EXPECT_THAT(files(), testing::ElementsAre("err"));
}

TEST_F(Process, AClosedStandardOutputIsAnError) {
  build_words();
  const int status = wait_for(start({"delete", path("words.boon"), "king", "--json"}, -1, -1));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 8);
  EXPECT_THAT(get("err"), HasSubstr("cannot write to standard output"));
  EXPECT_THAT(boon({"doctor", "@words.boon"}), Worked());
  EXPECT_EQ(vectors_in("words.boon"), kWordCount - 1);
}

TEST_F(Process, NoBarIsDrawnInAFile) {
  put("words.txt", kWords);
  const Null null;
  const int status =
      wait_for(start({"build", path("words.txt"), "-o", path("words.boon")}, null.descriptor, null.descriptor));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(get("err").find('\r'), std::string::npos);
  EXPECT_EQ(get("err").find('\x1b'), std::string::npos);
}

// More than a pipe holds, so a program that has taken all but that is reading; rows enough for several batches.
constexpr int kPipedRows = 100000;

std::string piped_vectors() {
  std::string vectors;
  for (int i = 0; i < kPipedRows; ++i) {
    vectors += raw<std::int32_t>(2) + raw(static_cast<float>(i % 317)) + raw(static_cast<float>(1 + i % 311));
  }
  return vectors;
}

TEST_F(Process, CtrlCWhileReadingLeavesNothing) {
  Pipe pipe;
  const Null null;
  const pid_t pid =
      start({"build", "-", "--format", "fvecs", "--metric", "l2", "-o", path("v.boon")}, pipe.ends[0], null.descriptor);
  ASSERT_GT(pid, 0);
  pipe.close_end(0);
  pipe.write(piped_vectors());
  ASSERT_EQ(::kill(pid, SIGINT), 0);
  pipe.close_end(1);
  const int status = wait_for(pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(get("err"), "boon: interrupted while reading standard input\n");
  EXPECT_THAT(files(), testing::ElementsAre("err"));
}

// That work has begun is seen by the bar. A machine may be done before the signal comes, and then the index is whole.
TEST_F(Process, CtrlCWhileBuildingLeavesAnIndexThatOpens) {
  Pipe pipe;
  Terminal terminal;
  const Null null;
  const pid_t pid = start({"build", "-", "--format", "fvecs", "--metric", "l2", "-o", path("v.boon")}, pipe.ends[0],
                          null.descriptor, {.err = terminal.program_end});
  ASSERT_GT(pid, 0);
  pipe.close_end(0);
  terminal.close_program_end();
  pipe.write(piped_vectors());
  pipe.close_end(1);
  std::string shown = terminal.read();
  ASSERT_THAT(shown, HasSubstr("Building"));
  ASSERT_EQ(::kill(pid, SIGINT), 0);
  for (std::string more = terminal.read(); !more.empty(); more = terminal.read()) shown += more;
  const int status = wait_for(pid);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) != 0) {
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_THAT(shown, HasSubstr("of 100,000 vectors"));
  }
  EXPECT_THAT(boon({"doctor", "@v.boon"}), Worked());
  EXPECT_FALSE(exists("v.boon.lock"));
}

TEST_F(Process, TheFirstCtrlCEndsACommandThatHasNothingToSave) {
  build_words();
  std::string queries;
  while (queries.size() < 1'000'000) queries += kWords;
  Pipe pipe;
  const Null null;
  const pid_t pid = start({"search", path("words.boon"), "--queries", "-"}, pipe.ends[0], null.descriptor);
  ASSERT_GT(pid, 0);
  pipe.close_end(0);
  pipe.write(queries);
  ASSERT_EQ(::kill(pid, SIGINT), 0);
  const int status = wait_for(pid);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  EXPECT_EQ(get("err"), "");
}

// A whole line, waited for.
std::string read_line(int descriptor) {
  std::string line;
  for (char c = 0; ::read(descriptor, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

TEST_F(Process, LayoutAnswersALineBeforeItWaitsForTheNext) {
  Pipe questions, answers;
  const pid_t pid = start({"layout", "--json"}, questions.ends[0], answers.ends[1]);
  ASSERT_GT(pid, 0);
  questions.close_end(0);
  answers.close_end(1);
  questions.write("4:1 o 2:2\n");
  EXPECT_EQ(read_line(answers.ends[0]), R"({"layout":"2:2"})");
  questions.write("4:1 o 3:2\n4:1 ");
  EXPECT_THAT(read_line(answers.ends[0]), HasSubstr("{\"layout\":"));
  questions.write("o 4:0\nsize(4:1)");
  EXPECT_EQ(read_line(answers.ends[0]), R"({"layout":"4:0"})");
  questions.close_end(1);
  EXPECT_EQ(read_line(answers.ends[0]), R"({"value":4})") << "the last line needs no end";
  EXPECT_EQ(read_line(answers.ends[0]), "");
  const int status = wait_for(pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(get("err"), "");
}

// The child's flag does not reach the other tests.
int build_in_child(const std::string& input, const std::string& output, const std::string& errors) {
  install_interrupt_handler();
  ::raise(SIGINT);
  const std::array<const char*, 7> argv{"boon", "build", input.c_str(), "-o", output.c_str(), "--threads", "1"};
  std::ostringstream out;
  std::ofstream err(errors);
  return run(static_cast<int>(argv.size()), argv.data(), out, err);
}

TEST_F(Process, AnInterruptedBuildIsResumed) {
  constexpr std::size_t kRows = 4000;
  std::string text;
  for (std::size_t i = 0; i < kRows; ++i) {
    text += fmt::format("w{} {} 9 {}\n", i, i % 61, i / 61);
  }
  put("w.txt", text);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int code = build_in_child(path("w.txt"), path("w.boon"), path("err"));
    ::_exit(code);
  }
  const int status = wait_for(pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(get("err"),
              HasSubstr("of 4,000 vectors; boon add " + path("w.boon") + ' ' + path("w.txt") + " --resume"));

  const std::size_t saved = vectors_in("w.boon");
  EXPECT_GT(saved, 0U);
  EXPECT_LT(saved, kRows);
  EXPECT_THAT(boon({"doctor", "@w.boon"}), Worked());
  const Outcome resumed = boon({"add", "@w.boon", "@w.txt", "--resume", "--json"});
  ASSERT_THAT(resumed, Worked());
  EXPECT_EQ(resumed.json()["added"], kRows - saved);
  EXPECT_EQ(resumed.json()["vectors"], kRows);
  EXPECT_THAT(boon({"doctor", "@w.boon"}), Worked());
}

TEST_F(Process, AnInterruptEndsTheReadingOfLines) {
  std::string text, json;
  for (int i = 0; i < 10000; ++i) {
    text += fmt::format("w{} {} 1\n", i, i);
    json += fmt::format("{{\"vector\": [{}, 1]}}\n", i);
  }
  put("w.txt", text);
  put("w.jsonl", json);
  for (const char* name : {"w.txt", "w.jsonl"}) {
    SCOPED_TRACE(name);
    const pid_t pid = ::fork();
    if (pid == 0) {
      const int code = build_in_child(path(name), path("w.boon"), path("err"));
      ::_exit(code);
    }
    const int status = wait_for(pid);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_THAT(get("err"), HasSubstr("interrupted while reading " + path(name)));
    EXPECT_FALSE(exists("w.boon"));
  }
}

TEST_F(Process, AnInterruptedReplacementKeepsTheOldFile) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += fmt::format("w{} {} 1\n", i, i);
  put("w.txt", text);
  build_words();
  const std::string before = get("words.boon");
  const pid_t pid = ::fork();
  if (pid == 0) {
    install_interrupt_handler();
    ::raise(SIGINT);
    ::_exit(boon({"build", "@w.txt", "-o", "@words.boon", "--force", "--threads", "1"}).code);
  }
  const int status = wait_for(pid);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(get("words.boon"), before);
}

}  // namespace
}  // namespace boon::cli
