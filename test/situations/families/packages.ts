import { keep, type Family, type Situation, type Stage } from '../situation.ts';

const install = (id: string, stage: Stage, needs: readonly string[], run: string): Situation =>
  keep(
    id,
    { stage, needs },
    'An installation waits for a slow download; ending it may leave a broken folder.',
    run,
  );

/** Package managers against a slow registry on loopback. */
export const packages: Family = {
  name: 'package managers',
  situations: [
    install(
      'npm-install-detached',
      'detached',
      ['npm'],
      `echo '{"private":true}' > package.json; bg install setsid npm install --registry $SLOW left-pad >/dev/null 2>&1; sleep 3`,
    ),
    install(
      'npm-install-with-living-owner',
      'owner',
      ['npm'],
      `echo '{"private":true}' > package.json; bg install npm install --registry $SLOW left-pad; sleep 3`,
    ),
    install(
      'pip-install-detached',
      'detached',
      ['python3'],
      'bg install setsid python3 -m pip install -q --no-input --timeout 100000 --index-url $SLOW/simple --target t six >/dev/null 2>&1; sleep 3',
    ),
    install(
      'go-mod-download',
      'hangup',
      ['go'],
      `printf 'module x\\ngo 1.20\\n' > go.mod; export GOPROXY=$SLOW GOFLAGS=-mod=mod GONOSUMDB=* GOPATH=$DIR/go GOTELEMETRY=off
bg install nohup go mod download example.com/one@v1.0.0 >/dev/null 2>&1; sleep 2`,
    ),
    install(
      'apt-get-download',
      'detached',
      ['apt-get'],
      `mkdir -p apt/lists/partial apt/cache/archives/partial apt/etc; touch apt/status; echo "deb [trusted=yes] $SLOW ./" > apt/sources
bg install setsid apt-get -o Dir::Etc::sourcelist=$DIR/apt/sources -o Dir::Etc::sourceparts=- -o Dir::State=$DIR/apt -o Dir::State::status=$DIR/apt/status -o Dir::Cache=$DIR/apt/cache -o APT::Sandbox::User=root update >/dev/null 2>&1; sleep 2`,
    ),
    install(
      'gem-install',
      'detached',
      ['gem'],
      'bg install setsid gem install --source $SLOW --install-dir g rake >/dev/null 2>&1; sleep 2',
    ),
    install(
      'npx-waits-for-download',
      'orphan',
      ['npx'],
      'npm_config_cache=$DIR/cache bg install setsid npx --yes --registry $SLOW cowsay hi; sleep 3',
    ),
  ],
};
