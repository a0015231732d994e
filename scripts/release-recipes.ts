import { archiveName } from '../src/release/release-source.ts';
import { findPlatform } from './platforms.ts';

const RELEASES = 'https://github.com/deed-cli/deed/releases/download';

/** The hashes of the archives of a release, by name. */
export type Checksums = ReadonlyMap<string, string>;

/** Renders the Homebrew formula of a release. */
export function renderFormula(version: string, checksums: Checksums): string {
  const block = (cpu: string, name: string): string => `    on_${cpu} do
      url "${RELEASES}/v${version}/${archiveOf(version, name)}"
      sha256 "${hashOf(version, name, checksums)}"
    end`;
  const system = (os: string, arm: string, intel: string): string =>
    `  on_${os} do\n${block('arm', arm)}\n${block('intel', intel)}\n  end`;
  return `# Written by the release workflow from the checksums of the release.
class Deed < Formula
  desc "Operating layer that AI agents run on"
  homepage "https://github.com/deed-cli/deed"
  version "${version}"
  license "MIT"

${system('macos', 'darwin-arm64', 'darwin-x64')}

${system('linux', 'linux-arm64', 'linux-x64')}

  def install
    bin.install "deed"
    %w[vybe pt ai-agent].each { |name| bin.install_symlink "deed" => name }
    man1.install "share/man/man1/deed.1"
    bash_completion.install "share/completions/deed.bash" => "deed"
    zsh_completion.install "share/completions/_deed"
    fish_completion.install "share/completions/deed.fish"
    pkgshare.install "skills"
  end

  def caveats
    "Connect your coding agents: deed setup --dry-run"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/deed --version --format raw")
  end
end
`;
}

/** Renders the Dockerfile of a release: the first stage downloads and verifies, the second one has no root. */
export function renderDockerfile(version: string, checksums: Checksums): string {
  const cases = ['amd64:linux-x64', 'arm64:linux-arm64'].map((pair) => {
    const [docker = '', name = ''] = pair.split(':');
    return `      ${docker}) name=${archiveOf(version, name)} hash=${hashOf(version, name, checksums)} ;; \\`;
  });
  return `# Written by the release workflow from the checksums of the release.
FROM debian:13-slim AS fetch
ARG TARGETARCH
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
WORKDIR /fetched
RUN case "$TARGETARCH" in \\
${cases.join('\n')}
      *) echo "no build for $TARGETARCH" >&2; exit 1 ;; \\
    esac \\
    && curl -fsSLO "${RELEASES}/v${version}/$name" \\
    && echo "$hash  $name" | sha256sum -c - \\
    && tar -xzf "$name" deed

FROM debian:13-slim
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap ca-certificates git && rm -rf /var/lib/apt/lists/* \\
    && useradd --create-home --uid 10001 deed \\
    && install -d -m 700 -o deed -g deed /home/deed/.deed
COPY --from=fetch --chmod=755 /fetched/deed /usr/local/bin/deed
RUN for name in vybe pt ai-agent; do ln -s deed /usr/local/bin/$name; done
USER deed
WORKDIR /home/deed
VOLUME /home/deed/.deed
ENTRYPOINT ["deed"]
CMD ["doctor", "--format", "text"]
`;
}

function archiveOf(version: string, name: string): string {
  const { os, archiveArch } = findPlatform(name);
  return archiveName(version, os, archiveArch);
}

function hashOf(version: string, name: string, checksums: Checksums): string {
  const hash = checksums.get(archiveOf(version, name));
  if (hash === undefined) throw new Error(`The release has no ${archiveOf(version, name)}.`);
  return hash;
}
