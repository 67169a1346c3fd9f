"""Keeps gcloud loaded and forks it for each command.

A start of gcloud takes seconds of processor time, and a provisioning runs two hundred
of them. What runs is gcloud's own code, from its own entry point, with the caller's
arguments, environment, folder and output.

What a command had to import is imported here too before the next one, so that no two
commands pay for it. With ONCEWAY_GCLOUD_LOG in its environment a command is written to
that file, as a JSON list of arguments on a line.

Usage: zygote.py SDK_ROOT SOCKET
"""

import importlib
import json
import os
import signal
import socket
import sys


def load(root):
  sys.path.insert(0, os.path.join(root, 'lib', 'third_party'))
  sys.path.insert(0, os.path.join(root, 'lib'))
  from googlecloudsdk import gcloud_main
  from googlecloudsdk.core import requests  # pylint: disable=unused-import
  from googlecloudsdk.calliope import cli  # pylint: disable=unused-import
  from googlecloudsdk.api_lib.util import apis
  for api, version in (('pubsub', 'v1'), ('iam', 'v1'), ('cloudresourcemanager', 'v1'), ('monitoring', 'v3')):
    apis.GetMessagesModule(api, version)
  return gcloud_main


def learn(folder):
  """Imports what commands before imported."""
  for name in [n for n in os.listdir(folder) if not n.endswith('~')]:
    path = os.path.join(folder, name)
    with open(path) as f:
      for module in f.read().split():
        try:
          importlib.import_module(module)
        except Exception:  # pylint: disable=broad-except
          pass  # it is loaded by its path, or only in a command
    os.remove(path)


def tell(folder, before):
  """Leaves the names of what this command imported."""
  new = [m for m in sys.modules if m not in before and m.startswith('googlecloudsdk.') and '__calliope' not in m]
  if new:
    path = os.path.join(folder, str(os.getpid()))
    with open(path + '~', 'w') as f:
      f.write('\n'.join(new))
    os.rename(path + '~', path)


def command(gcloud_main, connection, folder):
  """Runs one command; the answer is its exit status."""
  data, fds, _, _ = socket.recv_fds(connection, 1 << 20, 3)
  call = json.loads(data)
  pid = os.fork()
  if pid == 0:
    for i, fd in enumerate(fds):
      os.dup2(fd, i)
    os.chdir(call['cwd'])
    os.environ.clear()
    os.environ.update(call['env'])
    sys.argv = ['gcloud'] + call['args']
    log = os.environ.get('ONCEWAY_GCLOUD_LOG')
    if log:
      with open(log, 'a') as f:
        f.write(json.dumps(call['args']) + '\n')
    before = set(sys.modules)
    status = 0
    try:
      gcloud_main.main()
    except SystemExit as e:
      status = e.code if isinstance(e.code, int) else int(e.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    tell(folder, before)
    os._exit(status)
  _, status = os.waitpid(pid, 0)
  connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def main():
  root, path = sys.argv[1:]
  folder = path + '.imports'
  os.mkdir(folder)
  gcloud_main = load(root)
  listener = socket.socket(socket.AF_UNIX)
  listener.bind(path)
  listener.listen(64)
  signal.signal(signal.SIGCHLD, signal.SIG_IGN)
  while True:
    connection, _ = listener.accept()
    learn(folder)
    if os.fork() == 0:
      signal.signal(signal.SIGCHLD, signal.SIG_DFL)
      listener.close()
      command(gcloud_main, connection, folder)
      os._exit(0)
    connection.close()


main()
