/** The CSS of a report. It loads no fonts or images, so that the page needs no network. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5b6472; --line: #d9dee6; --paper: #fff; --panel: #f5f7fa;
  --useful: #3b7dd8; --useful-bad: #a07800; --abandoned: #c73a4e; --zombie: #6c5b7b; --good: #1f8451; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa4b2; --line: #2e3644; --paper: #12161d; --panel: #1a202a;
  --useful: #6ea8ff; --useful-bad: #e0b341; --abandoned: #ff7b8a; --zombie: #b39ddb; --good: #5fd39a; } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem } h2 { font-size: 1.15rem; margin: 2.25rem 0 .25rem }
h3 { font-size: 1rem; margin: 0 } p { margin: .4rem 0 } ul { margin: .4rem 0; padding: 0; list-style: none }
.soft { color: var(--soft); font-size: .9rem } code { font: .92em ui-monospace, monospace }
.count { color: var(--soft); font-weight: 400 }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .6rem; margin-top: 1.25rem }
.tile { background: var(--panel); border-radius: .5rem; padding: .6rem .9rem; font-size: .9rem; color: var(--soft) }
.tile b { display: block; font-size: 1.5rem; line-height: 1.3; color: var(--ink) }
.legend { display: flex; gap: .25rem 1rem; flex-wrap: wrap; font-size: .85rem; margin: .25rem 0 }
.legend i { display: inline-block; width: .75rem; height: .75rem; border-radius: 2px; margin-right: .35rem; vertical-align: -1px }
i.useful { background: var(--useful) } i.useful_bad { background: var(--useful-bad) }
i.abandoned { background: var(--abandoned) } i.zombie { background: var(--zombie) }
.finding { border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; margin: .7rem 0 }
.finding header { display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline }
.badge { padding: 0 .55rem; border-radius: 1rem; border: 1px solid currentColor; font-size: .8rem; font-weight: 600; color: var(--soft) }
.kill { color: var(--abandoned) } .review { color: var(--useful-bad) } .good { color: var(--good) }
.why { font-weight: 600; font-size: .9rem; margin-bottom: 0 }
.vetoes li, .outcomes li { border-left: 3px solid var(--useful-bad); padding: .05rem 0 .05rem .6rem; margin: .3rem 0; font-size: .9rem }
.outcomes li { border-color: var(--line); margin: .8rem 0 } .measured { color: var(--good) }
.posterior { display: flex; gap: .6rem; align-items: center; margin: .5rem 0; font-size: .85rem }
.strip { flex: 1; display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; background: var(--line) }
summary { cursor: pointer; font-size: .9rem; color: var(--soft) }
.bar { display: grid; grid-template-columns: minmax(0, 16rem) 1fr 3.6rem; gap: .6rem; align-items: center; font-size: .85rem; margin: .25rem 0 }
.bar .value { text-align: right; font-variant-numeric: tabular-nums } .bar.sum { font-weight: 600; border-top: 1px solid var(--line) }
.track { position: relative; height: 1rem; background: linear-gradient(var(--soft), var(--soft)) center / 1px 100% no-repeat }
.track i { position: absolute; top: .15rem; height: .7rem; min-width: 1px; border-radius: 2px }
.track .right { left: 50%; background: var(--abandoned) } .track .left { right: 50%; background: var(--useful) }
.head .track { display: flex; justify-content: space-between; color: var(--soft); background: none; height: auto }
.head em { font-style: normal; font-size: .8rem }
@media (max-width: 36rem) {
  body { padding: 1.25rem .9rem 3rem } .tiles { grid-template-columns: repeat(3, 1fr) } .tile { padding: .5rem .6rem; font-size: .8rem }
  .tile b { font-size: 1.2rem } .bar { grid-template-columns: 1fr 3.6rem; gap: 0 .6rem } .bar .name { grid-column: 1 / -1 }
  .bar.head .name { display: none }
}
`;
