import type { Fact, MailContent, Sentence } from '../content/mail-content.ts'

const light = {
  ground: '#f4f3ef',
  card: '#ffffff',
  ink: '#1c1b1a',
  quiet: '#5f5c57',
  line: '#d9d6cf',
  accent: '#1f5d4c',
  onAccent: '#ffffff',
}
const dark = {
  ground: '#161514',
  card: '#211f1e',
  ink: '#f1efea',
  quiet: '#b3aea6',
  line: '#3d3a37',
  accent: '#7fd1b9',
  onAccent: '#10231d',
}

/** For readers that apply style sheets; the others use the inline styles. Contrast is at least 4.5:1 in both schemes. */
const darkStyles = `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){
.ground{background:${dark.ground}!important}.card{background:${dark.card}!important;border-color:${dark.line}!important}
.ink{color:${dark.ink}!important}.quiet{color:${dark.quiet}!important}.line{border-color:${dark.line}!important}
.button{background:${dark.accent}!important;color:${dark.onAccent}!important}}`

const font = `font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif`
const styles = {
  ground: `margin:0;padding:24px 12px;background:${light.ground};${font}`,
  card: `max-width:560px;margin:0 auto;padding:28px 24px;background:${light.card};border:1px solid ${light.line};border-radius:12px`,
  seller: `margin:0 0 20px;font-size:15px;line-height:20px;font-weight:600;color:${light.quiet}`,
  title: `margin:0 0 12px;font-size:22px;line-height:28px;font-weight:650;color:${light.ink}`,
  text: `margin:0 0 16px;font-size:16px;line-height:24px;color:${light.ink};overflow-wrap:anywhere`,
  note: `margin:16px 0 0;font-size:15px;line-height:22px;color:${light.quiet};overflow-wrap:anywhere`,
  code: `margin:4px 0 20px;padding:16px;border:1px solid ${light.line};border-radius:8px;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:32px;line-height:40px;letter-spacing:2px;text-align:center;color:${light.ink}`,
  table: `width:100%;border-collapse:collapse;margin:0 0 20px;font-size:15px;line-height:22px`,
  label: `padding:8px 0;border-top:1px solid ${light.line};font-weight:400;color:${light.quiet};overflow-wrap:anywhere`,
  lineLabel: `padding:8px 0;border-top:1px solid ${light.line};font-weight:400;color:${light.ink};overflow-wrap:anywhere`,
  value: `padding:8px 0;border-top:1px solid ${light.line};white-space:nowrap;color:${light.ink};font-variant-numeric:tabular-nums`,
  longValue: `padding:8px 0;border-top:1px solid ${light.line};overflow-wrap:break-word;color:${light.ink}`,
  total: `padding:8px 0;border-top:1px solid ${light.line};white-space:nowrap;font-weight:700;color:${light.ink};font-variant-numeric:tabular-nums`,
  // Outlook for Windows ignores the padding of a link, and reads its own property of a cell.
  buttonCell: `border-radius:8px;background:${light.accent};mso-padding-alt:12px 20px`,
  button: `display:inline-block;padding:12px 20px;border-radius:8px;background:${light.accent};color:${light.onAccent};font-size:16px;line-height:20px;font-weight:600;text-decoration:none`,
  footer: `max-width:560px;margin:16px auto 0;padding:0 24px;font-size:13px;line-height:18px;color:${light.quiet};overflow-wrap:anywhere`,
} as const

/** Outlook for Windows knows no `max-width`: it gets a table as wide as the card. Other readers see a comment. */
const outlookColumn = {
  start: '<!--[if mso]><table role="presentation" width="560" align="center" cellspacing="0" cellpadding="0"><tr><td><![endif]-->',
  end: '<!--[if mso]></td></tr></table><![endif]-->',
}

/**
 * Renders a mail as HTML: one column, inline styles, a dark scheme. Loads nothing, runs nothing, and has one button and few links, all to this installation. Contains
 * everything that `renderText` contains.
 */
export function renderHtml(content: MailContent): string {
  const { locale, direction, subject, seller, title, sentences, code, lines, facts, notes, action, links, footer } = content
  const sides = direction === 'rtl' ? { start: 'right', end: 'left' } : { start: 'left', end: 'right' }
  const rows = [...lines.map((line) => renderRow(line, 'line', sides)), ...facts.map((fact) => renderRow(fact, 'fact', sides))]
  return `<!doctype html>
<html lang="${escape(locale)}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escape(subject)}</title><style>${darkStyles}</style></head>
<body class="ground" style="${styles.ground}">${outlookColumn.start}<div class="card" style="${styles.card}">
<p class="quiet" style="${styles.seller}">${isolate(seller)}</p>
<h1 class="ink" style="${styles.title}">${escape(title)}</h1>
${sentences.map((each) => `<p class="ink" style="${styles.text}">${renderSentence(each)}</p>`).join('\n')}
${code === null ? '' : `<p class="ink line" dir="ltr" style="${styles.code}">${escape(code)}</p>`}
${rows.length > 0 ? `<table style="${styles.table}">${rows.join('')}</table>` : ''}
${action ? renderButton(action) : ''}
${notes.map((each) => `<p class="quiet" style="${styles.note}">${renderSentence(each)}</p>`).join('\n')}
${links.map(({ label, url }) => `<p class="quiet" style="${styles.note}"><a class="quiet" style="color:${light.quiet}" href="${escape(url)}">${escape(label)}</a></p>`).join('\n')}
</div><p class="quiet" style="${styles.footer}">${renderSentence(footer)}</p>${outlookColumn.end}</body></html>
`
}

function renderButton({ url, label }: { url: string; label: string }): string {
  const link = `<a class="button" style="${styles.button}" href="${escape(url)}">${escape(label)}</a>`
  return `<table role="presentation" cellspacing="0" cellpadding="0"><tr><td class="button" style="${styles.buttonCell}">${link}</td></tr></table>`
}

/** The sides are physical and spelled out: Outlook for Windows knows neither \`start\` and \`end\` nor logical padding. */
function renderRow(fact: Fact, kind: 'line' | 'fact', { start, end }: { start: string; end: string }): string {
  const { label, value } = fact
  const valueStyle = fact.isEmphasized ? styles.total : fact.mayBreak ? styles.longValue : styles.value
  const [labelClass, labelStyle] = kind === 'line' ? ['ink', styles.lineLabel] : ['quiet', styles.label]
  return `<tr><th scope="row" class="${labelClass} line" align="${start}" style="${labelStyle};text-align:${start};padding-${end}:16px">${isolate(label)}</th><td class="ink line" align="${end}" style="${valueStyle};text-align:${end}">${isolate(value)}</td></tr>`
}

function renderSentence(sentence: Sentence): string {
  return sentence.map((piece) => (typeof piece === 'string' ? escape(piece) : isolate(piece.value))).join('')
}

function isolate(value: string): string {
  return `<bdi>${escape(value)}</bdi>`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
