import { abandoned, keep, type Family, type Situation } from '../situation.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A window that stays open after its terminal was closed. */
const windowOf = (id: string, program: string, command: string, before = ''): Situation =>
  keep(
    `${id}-window`,
    { stage: 'hangup', needs: ['Xvfb', program], display: true },
    'A person looks at its window; only the terminal that started it is closed.',
    `${before}\nbg app nohup ${command} >/dev/null 2>&1\nsleep 2`,
  );

/** Desktop programs under a real X server. */
export const desktop: Family = {
  name: 'desktop',
  situations: [
    windowOf('xclock', 'xclock', 'xclock'),
    windowOf('xcalc', 'xcalc', 'xcalc'),
    windowOf('xedit', 'xedit', 'xedit notes.txt', 'echo draft > notes.txt'),
    windowOf('xload', 'xload', 'xload -update 5'),
    windowOf(
      'mousepad',
      'mousepad',
      'setsid dbus-run-session -- mousepad notes.txt',
      'echo draft > notes.txt',
    ),
    windowOf('feh', 'feh', 'feh dot.png', `echo ${PNG} | base64 -d > dot.png`),
    windowOf('xterm', 'xterm', 'xterm -e bash'),
    keep(
      'chromium-page-under-tmp',
      { stage: 'hangup', needs: ['Xvfb', 'chromium'], display: true },
      'A browser window shows a page from a file in the temporary folder.',
      `echo '<title>report</title><p>results' > page.html
bg browser nohup setsid chromium --no-sandbox --disable-gpu --no-first-run --user-data-dir=$DIR/profile file://$DIR/page.html >/dev/null 2>&1
sleep 6`,
    ),
    keep(
      'headless-chromium-with-driver',
      { stage: 'owner', needs: ['chromium'] },
      'Its driver lives and keeps a connection to the debugging port.',
      `bg browser chromium --headless --no-sandbox --disable-gpu --user-data-dir=$DIR/profile --remote-debugging-port=$PORT about:blank >/dev/null 2>&1
listening
bg driver python3 -c "import socket,time; s=socket.create_connection(('127.0.0.1',$PORT)); time.sleep(1e6)"`,
    ),
    keep(
      'headless-chromium-detached-with-client',
      { stage: 'detached', needs: ['chromium'] },
      'Started by a shell that has ended, and a client is connected to its debugging port.',
      `bg browser setsid chromium --headless --no-sandbox --disable-gpu --user-data-dir=$DIR/profile --remote-debugging-port=$PORT about:blank >/dev/null 2>&1
listening
bg driver setsid python3 -c "import socket,time; s=socket.create_connection(('127.0.0.1',$PORT)); time.sleep(1e6)"`,
    ),
    keep(
      'xvfb-with-clients',
      { stage: 'detached', needs: ['Xvfb', 'xclock'] },
      'A display that other programs use, after the shell that started it has ended.',
      `bg server setsid Xvfb :$PORT -screen 0 320x200x24 >/dev/null 2>&1
until_true test -S /tmp/.X11-unix/X$PORT
DISPLAY=:$PORT bg clock setsid xclock >/dev/null 2>&1
sleep 1`,
    ),
    keep(
      'session-bus',
      { stage: 'detached', needs: ['dbus-daemon'] },
      'The message bus of a desktop session serves every program of it.',
      `bg bus dbus-daemon --session --nofork --address=unix:path=$DIR/bus >/dev/null 2>&1
until_true test -S $DIR/bus`,
    ),
    keep(
      'pulseaudio',
      { stage: 'detached', needs: ['pulseaudio'] },
      'The sound server of a desktop session.',
      `mkdir -m 700 run; XDG_RUNTIME_DIR=$DIR/run bg sound pulseaudio --daemonize=no --exit-idle-time=-1 --disallow-exit -n -L module-null-sink -L module-native-protocol-unix >/dev/null 2>&1
sleep 2`,
    ),
    abandoned(
      'headless-chromium-driver-dead',
      { stage: 'orphan', needs: ['chromium'] },
      'Its test driver was killed, no client is connected, no page is shown to anyone.',
      `bg browser setsid chromium --headless --no-sandbox --disable-gpu --user-data-dir=$DIR/profile --remote-debugging-port=$PORT about:blank
listening
sleep 1`,
    ),
    abandoned(
      'xvfb-without-clients',
      { stage: 'orphan', needs: ['Xvfb'] },
      'The test that started this display is dead, and no program uses the display.',
      `bg server setsid Xvfb :$PORT -screen 0 320x200x24 -nolisten tcp
until_true test -S /tmp/.X11-unix/X$PORT`,
    ),
  ],
};
