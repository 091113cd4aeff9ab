import { expect, test } from 'vitest'
import { isWithinPictureLimits, parsePicture } from './picture.ts'

const url = (hex: string, type = 'png') => `data:image/${type};base64,${Buffer.from(hex, 'hex').toString('base64')}`
const pngStart = '89504e470d0a1a0a0000000d49484452'
const png = `${pngStart}000000a00000003c0802000000ffffffff`
const app0 = 'ffe000104a46494600010100000100010000'
const frame = 'ffc2000b08003c00a001011100'

test('reads type and size of a picture from its header', () => {
  expect(parsePicture(url(png))).toMatchObject({ type: 'png', width: 160, height: 60 })
  expect(parsePicture(url(`ffd8${app0}${frame}`, 'jpeg'))).toMatchObject({ type: 'jpeg', width: 160, height: 60 })
})

test.each([
  ['another type than the declared one', url(png, 'jpeg')],
  ['text', url('4c6f67656e7465786b')],
  ['a PNG that ends in its header', url(pngStart)],
  ['a PNG without pixels', url(`${pngStart}00000000000000000802000000ffffffff`)],
  ['a JPEG without a frame', url(`ffd8${app0}ffd9`, 'jpeg')],
  ['a JPEG whose frame is behind something else', url(`ffd800${frame}`, 'jpeg')],
  ['a JPEG with a segment of no length', url(`ffd8ffe00000${frame}`, 'jpeg')],
  ['a remote URL', 'https://example.com/logo.png'],
])('does not accept %s as a picture', (_, logo) => {
  expect(parsePicture(logo)).toBeNull()
})

test.each([
  [2048, 1953, true],
  [2048, 1954, false],
  [2049, 1, false],
  [1, 20_000, false],
])('decides whether %i × %i pixels may be decoded: %s', (width, height, isAllowed) => {
  expect(isWithinPictureLimits({ width, height })).toBe(isAllowed)
})
