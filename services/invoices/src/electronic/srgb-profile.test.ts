import { expect, test } from 'vitest'
import { srgbProfile } from './srgb-profile.ts'

const profile = Buffer.from(srgbProfile())

/** Returns type and body of a tag. */
function tag(name: string): { type: string; body: Buffer } {
  for (let entry = 132; entry < 132 + 12 * profile.readUInt32BE(128); entry += 12) {
    if (profile.toString('latin1', entry, entry + 4) !== name) continue
    const [place, length] = [profile.readUInt32BE(entry + 4), profile.readUInt32BE(entry + 8)]
    expect(place % 4).toBe(0)
    expect(place + length).toBeLessThanOrEqual(profile.length)
    return { type: profile.toString('latin1', place, place + 4), body: profile.subarray(place + 8, place + length) }
  }
  throw new Error(`No tag ${name}`)
}

test('is an ICC display profile from RGB to XYZ with every required tag', () => {
  expect(profile.readUInt32BE(0)).toBe(profile.length)
  expect(profile.toString('latin1', 12, 24)).toBe('mntrRGB XYZ ')
  expect(profile.toString('latin1', 36, 40)).toBe('acsp')
  const types = ['desc', 'cprt', 'wtpt', 'rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC', 'bTRC'].map((name) => tag(name).type)
  expect(types).toEqual(['desc', 'text', 'XYZ ', 'XYZ ', 'XYZ ', 'XYZ ', 'curv', 'curv', 'curv'])
})

test('maps full red, green and blue to the white point, and half signal to a fifth of the light', () => {
  const of = (name: string) => [0, 4, 8].map((at) => tag(name).body.readInt32BE(at) / 65_536)
  const white = [0, 1, 2].map((part) => ['rXYZ', 'gXYZ', 'bXYZ'].reduce((total, name) => total + (of(name)[part] as number), 0))
  for (const [part, value] of of('wtpt').entries()) expect(white[part]).toBeCloseTo(value, 3)
  const { body } = tag('gTRC')
  const points = body.readUInt32BE(0)
  expect([body.readUInt16BE(4), body.readUInt16BE(4 + 2 * (points - 1))]).toEqual([0, 65_535])
  expect(body.readUInt16BE(4 + 2 * 128) / 65_535).toBeCloseTo(0.2158, 3)
})
