import { expect, test } from 'vitest'
import { slugify } from './create-organization-with-owner.ts'

test('derives a slug that the contract accepts from every name', () => {
  expect(slugify('Harbour Books')).toBe('harbour-books')
  expect(slugify('  Café “Zürich” & Söhne  ')).toBe('cafe-zurich-sohne')
  for (const name of ['A1', '株式会社', '---', 'x'.repeat(100), 'ab '.repeat(30)]) {
    expect(slugify(name)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(slugify(name).length).toBeGreaterThanOrEqual(3)
    expect(slugify(name).length).toBeLessThanOrEqual(40)
  }
})
