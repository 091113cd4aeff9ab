import { expect, test } from 'vitest'
import { fillSections } from './sections.ts'

const text = 'a\n<!-- generated: x -->\nold\n<!-- /generated -->\nb\n'

test('replaces a section and keeps the rest', () => {
  expect(fillSections('a.md', text, { x: 'new' })).toBe('a\n<!-- generated: x -->\n\nnew\n\n<!-- /generated -->\nb\n')
})

test('rejects a marker without content and content without a marker', () => {
  expect(() => fillSections('a.md', text, {})).toThrow('a section "x" that nothing generates')
  expect(() => fillSections('a.md', text, { x: '', y: '' })).toThrow('lacks the marker <!-- generated: y -->')
})
