"""Hands a command over to zygote.py. Usage: shim.py SOCKET ARGUMENT…

One command is answered here: identity tokens are Google's alone to give.
"""

import json
import os
import socket
import sys

if sys.argv[2:4] == ['auth', 'print-identity-token']:
  if os.environ.get('ONCEWAY_GCLOUD_LOG'):
    with open(os.environ['ONCEWAY_GCLOUD_LOG'], 'a') as f:
      f.write(json.dumps(sys.argv[2:]) + '\n')
  print('made-up-token')
  sys.exit(0)
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
call = json.dumps({'args': sys.argv[2:], 'cwd': os.getcwd(), 'env': dict(os.environ)}).encode()
socket.send_fds(connection, [call], [0, 1, 2])
answer = connection.recv(16)
sys.exit(int(answer or b'70'))
