import { keep, type Family, type Situation, type Stage } from '../situation.ts';

const BIG = 'head -c 50000000 /dev/zero > big';

const transfer = (id: string, stage: Stage, needs: readonly string[], run: string): Situation =>
  keep(
    id,
    { stage, needs },
    'A transfer or backup in progress; only the shell that started it has ended.',
    run,
  );

/** Slow transfers and backups; the shell that started them is gone. */
export const transfers: Family = {
  name: 'transfers',
  situations: [
    transfer(
      'rsync-in-background',
      'hangup',
      ['rsync'],
      `${BIG}; set -m; bg copy rsync --bwlimit=50 big copy > rsync.log 2>&1; sleep 1; quiet rsync.log`,
    ),
    transfer(
      'curl-download',
      'detached',
      ['curl'],
      'bg download setsid curl -sS -o file $SLOW/file; sleep 1',
    ),
    transfer(
      'wget-download',
      'hangup',
      ['wget'],
      'bg download nohup wget -q -O file $SLOW/file >/dev/null 2>&1; sleep 1',
    ),
    transfer(
      'aria2-download',
      'detached',
      ['aria2c'],
      'bg download setsid aria2c -q --file-allocation=none -x1 -o file $SLOW/file; sleep 1',
    ),
    transfer(
      'lftp-download',
      'detached',
      ['lftp'],
      `bg download setsid lftp -c "get $SLOW/file -o file"; sleep 1`,
    ),
    transfer(
      'rclone-copy',
      'detached',
      ['rclone'],
      `${BIG}; mkdir to; bg copy setsid rclone copy --bwlimit 50k big to; sleep 2`,
    ),
    transfer(
      'curl-waits-for-first-byte',
      'detached',
      ['curl', 'python3'],
      `bg _server setsid python3 -c "import socket,time; s=socket.socket(); s.bind(('127.0.0.1',$PORT)); s.listen(); c=s.accept(); time.sleep(1e6)"; sleep 1
bg download setsid curl -sS -o file http://127.0.0.1:$PORT/report; sleep 1`,
    ),
    transfer(
      'dd-through-slow-pipe',
      'detached',
      ['pv'],
      `bg pipe setsid bash -c 'dd if=/dev/zero bs=1k count=1000000 status=none | pv -q -L 50k > image'; sleep 1`,
    ),
    transfer(
      'tar-backup-slow',
      'hangup',
      ['pv'],
      `${BIG}; bg pipe setsid bash -c 'tar cf - big | pv -q -L 50k > backup.tar'; sleep 1`,
    ),
    transfer(
      'borg-backup-from-pipe',
      'detached',
      ['borg'],
      `export BORG_BASE_DIR=$DIR/.borg; ${BIG}; borg init -e none repo
mkfifo pipe; exec 9<>pipe; bg backup setsid borg create repo::one -; sleep 4`,
    ),
    transfer(
      'restic-backup-from-pipe',
      'detached',
      ['restic'],
      `export RESTIC_PASSWORD=x; restic init -q -r repo
bg backup setsid bash -c 'sleep 100000 | restic -q -r repo backup --stdin'; sleep 3`,
    ),
    transfer(
      'zstd-compresses-a-stream',
      'detached',
      ['zstd', 'pv'],
      `bg pipe setsid bash -c 'pv -q -L 100k /dev/urandom | zstd -q -o stream.zst'; sleep 1`,
    ),
    transfer(
      'ffmpeg-records-a-stream',
      'detached',
      ['ffmpeg'],
      'bg record setsid ffmpeg -nostdin -loglevel error -re -f lavfi -i testsrc=size=64x64:rate=5 -t 100000 out.mkv; sleep 2',
    ),
    transfer(
      'scp-upload',
      'detached',
      ['sshd', 'scp', 'ssh-keygen'],
      `ssh-keygen -qt ed25519 -N '' -f key; cp key.pub authorized; chmod 600 authorized; mkdir -p /run/sshd; ${BIG}
bg _sshd setsid $(command -v sshd) -D -f /dev/null -o Port=$PORT -o ListenAddress=127.0.0.1 -h $DIR/key -o AuthorizedKeysFile=$DIR/authorized -o StrictModes=no -o PidFile=none -o UsePAM=no -o Subsystem="sftp internal-sftp" -E sshd.log
listening; bg copy setsid scp -q -l 400 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i key -P $PORT big root@127.0.0.1:$DIR/uploaded; until_true test -e uploaded`,
    ),
  ],
};
