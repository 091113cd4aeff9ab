import { expect, test } from 'vitest'
import { slugOf } from './slug-of.ts'

test('every name gives a slug that the contract takes', () => {
  expect(slugOf('Harbour Books')).toBe('harbour-books')
  expect(slugOf('  Café “Zürich” & Söhne  ')).toBe('cafe-zurich-sohne')
  for (const name of ['A1', '株式会社', '---', 'x'.repeat(100), 'ab '.repeat(30)]) {
    expect(slugOf(name)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(slugOf(name).length).toBeGreaterThanOrEqual(3)
    expect(slugOf(name).length).toBeLessThanOrEqual(40)
  }
})
