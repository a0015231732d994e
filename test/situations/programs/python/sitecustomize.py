# A preload for servers that do not exit when their standard input ends: a thread that is not a daemon keeps the interpreter running.
import os
import threading

if os.environ.get("KEEP_ALIVE") == "1":
    threading.Thread(target=threading.Event().wait).start()
