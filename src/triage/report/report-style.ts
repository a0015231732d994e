/** The CSS of a report. It loads no fonts or images, so that the page needs no network. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6472; --line: #d9dee6; --paper: #fff; --panel: #f5f7fa;
  --useful: #3b7dd8; --useful-bad: #b58900; --abandoned: #d1495b; --zombie: #6c5b7b; --good: #2a9d63; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa4b2; --line: #2e3644; --paper: #12161d; --panel: #1a202a;
  --useful: #6ea8ff; --useful-bad: #e0b341; --abandoned: #ff7b8a; --zombie: #b39ddb; --good: #5fd39a; } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 68rem; padding: 2rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.1rem; margin: 2.5rem 0 .75rem }
p { margin: .5rem 0 } .soft { color: var(--soft) } code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin-top: 1.25rem }
.tile { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem } .tile b { display: block; font-size: 1.5rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem } th, td { text-align: left; vertical-align: top;
  padding: .45rem .6rem; border-bottom: 1px solid var(--line) } th { color: var(--soft); font-weight: 600 }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
figure { margin: 0; overflow-x: auto } svg { display: block; max-width: 100%; height: auto; font: 12px system-ui, sans-serif }
svg text { fill: var(--ink) } svg .soft { fill: var(--soft) } svg .axis { stroke: var(--line) }
.legend { display: flex; gap: 1rem; flex-wrap: wrap; font-size: .85rem; margin: .25rem 0 .75rem }
.legend i { display: inline-block; width: .75rem; height: .75rem; border-radius: 2px; margin-right: .35rem; vertical-align: -1px }
.badge { display: inline-block; padding: 0 .5rem; border-radius: 1rem; border: 1px solid currentColor; font-size: .8rem }
.kill { color: var(--abandoned) } .review { color: var(--useful-bad) } .good { color: var(--good) }
details { margin: .25rem 0 } summary { cursor: pointer }
`;
