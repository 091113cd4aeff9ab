import { RequestValidationError, ServiceUnavailable } from '@quittance/contracts/errors'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createResourcePool } from '../threads/resource-pool.ts'
import { formatPicture, isWithinPictureLimits, parsePicture, pictureLimits, undecodableExitCode, type Picture } from './picture.ts'

/** The longest data: URL that settings accept has 300,000 characters. */
const maxBytes = 220_000
/** Ten times what the largest picture needs on a busy machine, and within the time of a request. */
const timeoutMs = 5_000
const program = fileURLToPath(new URL('./reencode-program.ts', import.meta.url))

/** Decoding uses a processor and up to 200 MB. One organization never uses both slots. */
const slots = createResourcePool([1, 2], { share: 1 })

/** The picture did not decode in time: the machine is overloaded, or the picture was made to be slow. */
class ReencodingTimeout extends Error {}

/**
 * Decodes a picture within its limits and encodes it again, so that later decoders read only files of this program. Runs in a separate
 * process without the environment of the service, which is killed after five seconds. Returns null if the picture is damaged.
 *
 * @throws ReencodingTimeout
 */
function reencodePicture({ type, bytes }: Picture, organizationId: string): Promise<Buffer | null> {
  return slots.use(organizationId, () => runProgram(type, bytes))
}

function runProgram(type: Picture['type'], bytes: Buffer): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', env: {}, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxBytes + 1 } as const
    const child = execFile(process.execPath, [program, type, String(maxBytes)], options, (error, output) => {
      if (!error) resolve(output)
      else if (error.code === undecodableExitCode) resolve(null)
      else if (error.killed) reject(new ReencodingTimeout(`The picture was not decoded within ${timeoutMs / 1000} s`))
      else reject(error)
    })
    // A program that ends early closes its input; its exit code is the reason.
    child.stdin?.on('error', () => {})
    child.stdin?.end(bytes)
  })
}

/**
 * Returns a logo as documents will contain it: decoded and encoded again, without metadata, and reduced to print resolution.
 *
 * @throws RequestValidationError if it is not a PNG or JPEG of the declared type, too large, or damaged; too large ones are not decoded.
 * @throws ServiceUnavailable if it could not be decoded in time.
 */
export async function prepareLogo(url: string, organizationId: string): Promise<string> {
  const picture = parsePicture(url)
  if (!picture) throw createLogoError('The content is not a picture of the declared type.')
  if (!isWithinPictureLimits(picture)) {
    throw createLogoError(`The picture has ${picture.width} × ${picture.height} pixels; ${pictureLimits} are allowed.`)
  }
  const reencoded = await reencodePicture(picture, organizationId).catch((error: unknown) => {
    throw error instanceof ReencodingTimeout ? new ServiceUnavailable('The logo could not be decoded in time. Try again later.') : error
  })
  if (!reencoded) throw createLogoError('The picture is damaged.')
  return formatPicture(picture.type, reencoded)
}

function createLogoError(reason: string): RequestValidationError {
  return RequestValidationError.field(['logo'], reason)
}
