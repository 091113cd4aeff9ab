/**
 * Tokens and parts that all pages share. Contrast is at least 4.5:1 in both colour schemes, and nothing depends on colour alone. Only
 * logical properties are used, so that a page reads from right to left without another sheet.
 */
export const sharedStyles = `
:root { color-scheme: light dark; --ground: #f4f3ef; --card: #ffffff; --ink: #1c1b1a; --quiet: #5f5c57; --line: #d9d6cf; --edge: #8a857c;
  --accent: #1f5d4c; --on-accent: #ffffff; --accent-ground: #e9f4f0; --bad: #a3211b; --bad-ground: #fdf0ef; --warn: #6b4a00;
  --warn-ground: #fdf6e3; --good: #1f5d4c; --good-ground: #e9f4f0; }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { --ground: #161514; --card: #211f1e; --ink: #f1efea; --quiet: #b3aea6;
  --line: #3d3a37; --edge: #8d877e; --accent: #7fd1b9; --on-accent: #10231d; --accent-ground: #16302a; --bad: #ffb4ab; --bad-ground: #3a1a18;
  --warn: #f2d189; --warn-ground: #352b13; --good: #9adcc8; --good-ground: #16302a; } }
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; --ground: #161514; --card: #211f1e; --ink: #f1efea; --quiet: #b3aea6; --line: #3d3a37;
  --edge: #8d877e; --accent: #7fd1b9; --on-accent: #10231d; --accent-ground: #16302a; --bad: #ffb4ab; --bad-ground: #3a1a18; --warn: #f2d189;
  --warn-ground: #352b13; --good: #9adcc8; --good-ground: #16302a; }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
h1, h2, h3 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: 28px; font-weight: 650; } h2 { font-size: 18px; font-weight: 650; } h3 { font-size: 16px; font-weight: 650; }
p { margin: 0; } a { color: inherit; text-underline-offset: 2px; } ul, ol, dl, dd { margin: 0; padding: 0; } ul { list-style: none; }
small, .quiet { color: var(--quiet); font-size: 15px; } .strong { font-weight: 650; } .number { white-space: nowrap; }
code, .code { font: 15px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", monospace; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; scroll-margin-block: 96px; }
.skip { position: absolute; inset-inline-start: 8px; inset-block-start: -60px; padding: 8px 16px; background: var(--card); border-radius: 8px; z-index: 2; }
.skip:focus { inset-block-start: 8px; }
.visually-hidden { position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 24px; }
.stack > * + * { margin-block-start: 16px; } .stack-small > * + * { margin-block-start: 8px; } .stack-large > * + * { margin-block-start: 32px; }
label, legend { display: block; font-weight: 600; font-size: 15px; margin-block-end: 4px; padding: 0; }
label .quiet { font-weight: 400; }
.input, select { inline-size: 100%; min-block-size: 44px; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge);
  border-radius: 8px; padding-block: 8px; padding-inline: 12px; }
select { appearance: none; padding-inline-end: 36px; background-repeat: no-repeat;
  background-image: linear-gradient(45deg, transparent 50%, currentColor 50%), linear-gradient(-45deg, transparent 50%, currentColor 50%);
  background-size: 6px 6px; background-position: calc(100% - 20px) 20px, calc(100% - 14px) 20px; }
[dir=rtl] select { background-position: 14px 20px, 20px 20px; }
.input, select { scroll-margin-block: 96px; } .input[readonly] { background: var(--ground); color: var(--quiet); }
[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
.error { display: block; color: var(--bad); font-size: 15px; margin-block-start: 4px; font-weight: 600; }
.hint { display: block; color: var(--quiet); font-size: 15px; margin-block-start: 4px; }
fieldset { border: 0; margin: 0; padding: 0; min-inline-size: 0; }
.check { display: flex; gap: 12px; align-items: flex-start; font-weight: 400; font-size: 16px; cursor: pointer; padding-block: 8px; margin: 0; }
.choice { display: flex; gap: 12px; align-items: center; min-block-size: 44px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px;
  margin-block-start: 8px; font-weight: 400; font-size: 16px; cursor: pointer; }
.choice:has(:checked) { border-color: var(--accent); background: var(--accent-ground); }
.choice > span { flex: 1; min-inline-size: 0; } .choice > span + span { flex: 0 1 auto; text-align: end; }
.check input, .choice input { accent-color: var(--accent); inline-size: 20px; block-size: 20px; flex: none; margin: 0; }
.check input { margin-block-start: 2px; }
.button { display: inline-flex; align-items: center; justify-content: center; min-block-size: 44px; padding: 8px 16px; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: 8px; cursor: pointer; }
.button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.wide { inline-size: 100%; min-block-size: 48px; }
.button.plain { min-block-size: 24px; padding: 0; border: 0; background: none; text-decoration: underline; font-weight: 400; color: inherit; }
.button[aria-disabled=true] { opacity: .7; cursor: progress; }
.actions { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; }
.notice { border-radius: 8px; padding: 12px 16px; background: var(--warn-ground); color: var(--warn); border-inline-start: 4px solid currentColor; }
.notice.bad { background: var(--bad-ground); color: var(--bad); } .notice.good { background: var(--good-ground); color: var(--good); }
.notice ul { margin-block-start: 4px; } .notice li { padding-block: 2px; }
.badge { display: inline-flex; align-items: center; gap: 6px; padding: 2px 10px; border-radius: 999px; border: 1px solid currentColor; font-size: 13px;
  font-weight: 600; white-space: nowrap; }
.badge.good { color: var(--good); } .badge.warn { color: var(--warn); } .badge.bad { color: var(--bad); } .badge.quiet { color: var(--quiet); }
.lines { inline-size: 100%; border-collapse: collapse; } .lines th { text-align: start; font-weight: 400; } .lines td { text-align: end; }
.lines th, .lines td { padding-block: 4px; vertical-align: baseline; padding-inline: 0; } .lines td { padding-inline-start: 16px; }
.lines .total th, .lines .total td { font-weight: 650; font-size: 18px; border-block-start: 1px solid var(--line); padding-block-start: 12px; }
.lines tr:has(+ .total) > * { padding-block-end: 12px; }
details > summary { cursor: pointer; min-block-size: 24px; padding-block: 4px; }
.facts { display: grid; grid-template-columns: minmax(0, auto) minmax(0, 1fr); gap: 4px 16px; } .facts dt { color: var(--quiet); }
.rows > li { border-block-start: 1px solid var(--line); padding-block: 12px; } .rows > li:first-child { border: 0; padding-block-start: 0; } .rows > li:last-child { padding-block-end: 0; }
.row { display: flex; flex-wrap: wrap; gap: 4px 16px; justify-content: space-between; align-items: center; }
@media (prefers-reduced-motion: no-preference) { .button, .choice { transition: background-color .15s, border-color .15s; } }
@media (max-width: 480px) { .card { padding: 16px; } h1 { font-size: 22px; } }
@media print { .button, .language { display: none; } body { background: none; } .card { border: 0; padding: 0; } }
`
