/**
 * Program of `prepareLogo`: reads a picture from standard input and writes it again to standard output. `argv`: its type and the
 * maximum size in bytes. Ends with `undecodableExitCode` if the picture is damaged.
 */
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { maxPicturePixels, undecodableExitCode } from './picture.ts'

/** Print resolution of the largest logo (56 mm), then smaller sizes until the file is small enough. The last one always is. */
const sidesPx = [1024, 512, 256, 128]

const [type, maxBytes] = process.argv.slice(2)
sharp.cache(false)
sharp.concurrency(1)

const input = await buffer(process.stdin)
try {
  process.stdout.write(await reencode(input))
} catch (error) {
  process.stderr.write(String(error))
  process.exitCode = undecodableExitCode
}

/** Applies orientation and colour profile, then removes all metadata. */
async function reencode(picture: Buffer): Promise<Buffer> {
  let encoded = picture
  for (const side of sidesPx) {
    const upright = sharp(picture, { limitInputPixels: maxPicturePixels, failOn: 'error' }).autoOrient()
    const resized = upright.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }).toColourspace('srgb')
    encoded = await (type === 'png' ? resized.png({ compressionLevel: 9 }) : resized.jpeg({ quality: 90 })).toBuffer()
    if (encoded.length <= Number(maxBytes)) break
  }
  return encoded
}
