import { expect, test } from 'vitest'
import { html } from './html.ts'

test('external input cannot become markup', () => {
  expect(html`<p title="${'"><script>'}">${"<b>&'"}</p>`.text).toBe('<p title="&#34;&#62;&#60;script&#62;">&#60;b&#62;&#38;&#39;</p>')
})

test('inserts markup unchanged, joins lists and omits absent values', () => {
  expect(html`${html`<i>${1}</i>`}${[html`<b></b>`, 'x']}${null}${undefined}${false}`.text).toBe('<i>1</i><b></b>x')
})
