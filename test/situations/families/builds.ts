import { keep, type Family } from '../situation.ts';

const SLOW_CPP = `cat > slow.cpp <<'END'
template <int N, int M> struct F { static constexpr long v = F<N - 1, M>::v + F<N - 1, M + 1>::v; };
template <int M> struct F<0, M> { static constexpr long v = M; };
long x = F<850, 0>::v;
END`;
const CXX = 'g++ -O2 -ftemplate-depth=4000 -c slow.cpp';
const JVM = 'stands for a daemon that no package of Debian has';

/** Builds at work and build daemons. */
export const builds: Family = {
  name: 'builds',
  situations: [
    keep(
      'make-with-compiler',
      { stage: 'owner', needs: ['make', 'g++'], busy: true },
      'make lives and its compiler works.',
      `${SLOW_CPP}\nprintf 'all:\\n\\t${CXX}\\n' > Makefile; bg build make; child_of build cc1plus`,
    ),
    keep(
      'make-with-nohup',
      { stage: 'hangup', needs: ['make', 'g++'], busy: true },
      'The terminal is closed; make and its compiler work on.',
      `${SLOW_CPP}\nprintf 'all:\\n\\t${CXX}\\n' > Makefile; bg build nohup make > build.log 2>&1; child_of build cc1plus; quiet build.log`,
    ),
    keep(
      'compiler-alone-detached',
      { stage: 'detached', needs: ['g++'], busy: true },
      'A compiler driver and its compiler work in the background.',
      `${SLOW_CPP}\nbg build setsid ${CXX}; child_of build cc1plus`,
    ),
    keep(
      'go-run-with-living-owner',
      { stage: 'owner', needs: ['go'] },
      'go lives and waits for the program that it has built.',
      `export GOTELEMETRY=off; printf 'package main\\nimport "time"\\nfunc main() { time.Sleep(1e6 * time.Second) }\\n' > main.go; bg build go run main.go; child_of build /main`,
    ),
    keep(
      'cargo-build-script',
      { stage: 'hangup', needs: ['cargo', 'rustc'] },
      'cargo lives and waits for a build script.',
      `export CARGO_HOME=$DIR/.cargo; mkdir src; printf '[package]\\nname="x"\\nversion="0.1.0"\\nedition="2021"\\n' > Cargo.toml; echo 'fn main(){}' > src/main.rs
echo 'fn main(){ std::thread::sleep(std::time::Duration::from_secs(1000000)) }' > build.rs
bg build nohup cargo build --offline > build.log 2>&1; child_of build build-script-build; quiet build.log`,
    ),
    keep(
      'webpack-build-plugin-waits',
      { stage: 'detached', needs: ['webpack'] },
      'A build in the background waits for a step.',
      `mkdir src; echo 1 > src/index.js; echo "module.exports={mode:'none',plugins:[{apply(c){c.hooks.emit.tapPromise('x',()=>new Promise(()=>setInterval(()=>{},1e6)))}}]}" > webpack.config.js
bg build setsid webpack > build.log 2>&1; sleep 4; quiet build.log`,
    ),
    keep(
      'npm-run-build',
      { stage: 'owner', needs: ['npm'] },
      'A chain of npm, shell and a build step.',
      `echo '{"private":true,"scripts":{"build":"sleep 100000"}}' > package.json; bg build npm run build; child_of build 'sleep 100000'`,
    ),
    keep(
      'esbuild-service-of-a-bundler',
      { stage: 'owner', needs: ['esbuild'] },
      'The service process of esbuild below a living build.',
      `bg build esbuild --service=0.28.2 --ping; sleep 1`,
    ),
    keep(
      'tsc-build-in-background',
      { stage: 'detached', needs: ['tsc'], busy: true },
      'A type check of a huge file.',
      `node -e "let s='type A0={a:1};';for(let i=1;i<60000;i++)s+='type A'+i+'=A'+(i-1)+'&{a'+i+':'+i+'};';s+='let v:A59999={} as any;let w:A59998=v;export{w}';require('fs').writeFileSync('a.ts',s)"
bg build setsid node --stack-size=60000 --max-old-space-size=3000 $(readlink -f $(command -v tsc)) --noEmit a.ts > tsc.log 2>&1; sleep 1; quiet tsc.log`,
    ),
    keep(
      'gradle-daemon',
      { stage: 'detached', needs: ['java'], standIn: JVM },
      'A build daemon waits for the next build.',
      `printf 'public class GradleDaemon { public static void main(String[] a) throws Exception { new java.net.ServerSocket(0, 9, java.net.InetAddress.getLoopbackAddress()).accept(); } }' > GradleDaemon.java
bg daemon setsid java -Xmx64m GradleDaemon.java org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5; sleep 3`,
    ),
    keep(
      'bazel-server',
      { stage: 'detached', needs: ['python3'], standIn: JVM },
      'A build server waits for the next build.',
      `echo "import socket; s=socket.socket(); s.bind(('127.0.0.1',$PORT)); s.listen();
while True: s.accept()" > server.py
as daemon 'bazel(project)' /usr/bin/python3 server.py --batch_cpu_scheduling; listening`,
    ),
  ],
};
