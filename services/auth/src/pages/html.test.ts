import { expect, test } from 'vitest'
import { html } from './html.ts'

test('what comes from outside cannot become markup', () => {
  expect(html`<p title="${'"><script>'}">${"<b>&'"}</p>`.text).toBe('<p title="&#34;&#62;&#60;script&#62;">&#60;b&#62;&#38;&#39;</p>')
})

test('markup goes in as it is, lists are joined, and what is absent leaves nothing', () => {
  expect(html`${html`<i>${1}</i>`}${[html`<b></b>`, 'x']}${null}${undefined}${false}`.text).toBe('<i>1</i><b></b>x')
})
