/** One sheet for all pages. Contrast is at least 4.5:1 in both schemes; nothing depends on colour alone. */
export const styles = `
:root { color-scheme: light dark; --ground: #f4f3ef; --card: #ffffff; --ink: #1c1b1a; --quiet: #5f5c57; --line: #d9d6cf;
  --accent: #1f5d4c; --on-accent: #ffffff; --bad: #a3211b; --bad-ground: #fdf0ef; --warn: #6b4a00; --warn-ground: #fdf6e3; }
@media (prefers-color-scheme: dark) { :root { --ground: #161514; --card: #211f1e; --ink: #f1efea; --quiet: #b3aea6; --line: #3d3a37;
  --accent: #7fd1b9; --on-accent: #10231d; --bad: #ffb4ab; --bad-ground: #3a1a18; --warn: #f2d189; --warn-ground: #352b13; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; display: flex; justify-content: center; }
main { width: 100%; max-width: 27rem; padding: clamp(1rem, 6vh, 4rem) 1rem 2rem; }
main.wide { max-width: 44rem; }
.brand { margin: 0 0 1rem; font-weight: 650; letter-spacing: .02em; color: var(--quiet); font-size: .95rem; }
.brand::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em; border-radius: 2px; background: var(--accent); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.5rem; }
.card + .card { margin-top: 1rem; }
.card > :last-child { margin-bottom: 0; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
q { quotes: '“' '”'; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .925rem; }
label, legend { font-weight: 600; font-size: .925rem; display: block; margin-bottom: .25rem; padding: 0; }
input[type=email], input[type=password], input[type=text] { width: 100%; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--quiet); border-radius: 8px; padding: .625rem .75rem; min-height: 2.75rem; }
input[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
.field { margin-bottom: 1rem; }
.error { color: var(--bad); font-size: .925rem; margin: .5rem 0 0; }
.notice { border-radius: 8px; padding: .75rem 1rem; margin-bottom: 1rem; background: var(--warn-ground); color: var(--warn); }
.notice.bad { background: var(--bad-ground); color: var(--bad); }
.notice p:last-child { margin: 0; }
fieldset { border: 0; margin: 1rem 0; padding: 0; min-width: 0; }
.choice { display: flex; gap: .75rem; align-items: center; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; margin-top: .5rem;
  font-weight: 400; font-size: 1rem; cursor: pointer; overflow-wrap: anywhere; min-width: 0; }
.choice:has(:checked) { border-color: var(--accent); outline: 1px solid var(--accent); }
.choice input { accent-color: var(--accent); width: 1.15rem; height: 1.15rem; flex: none; margin: 0; }
.choice span { display: block; min-width: 0; } .choice small { color: var(--quiet); display: block; }
ul.scopes { list-style: none; margin: 0 0 1.25rem; padding: 0; border-top: 1px solid var(--line); }
ul.scopes li { padding: .5rem 0; border-bottom: 1px solid var(--line); }
ul.rows { list-style: none; margin: 0; padding: 0; }
ul.rows li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: center; padding: .75rem 0; border-top: 1px solid var(--line); }
ul.rows li > div { flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; }
.actions { display: flex; gap: .75rem; margin-top: 1.25rem; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: 8px; cursor: pointer; border: 1px solid var(--quiet);
  background: transparent; color: var(--ink); flex: 1; }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.small { flex: none; min-height: 2.5rem; padding: .25rem .875rem; font-size: .925rem; }
button.link { border: 0; padding: 0; min-height: 1.5rem; text-decoration: underline; font-weight: 400; flex: none; color: inherit; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: inherit; }
code { font-size: .9em; overflow-wrap: anywhere; }
.foot { margin-top: 1rem; font-size: .875rem; color: var(--quiet); } .foot form { display: inline; }
@media (max-width: 22rem) { .actions { flex-direction: column; } .card { padding: 1.125rem; } }
`
