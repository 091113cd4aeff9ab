import jsQR from 'jsqr'
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'

/** Pixels per module, and modules of white margin, as a camera would see the code. */
const scale = 4
const margin = 4
/** Path operators of pdf.js. */
const [moveTo, lineTo, closePath] = [0, 1, 4]
/** A filled path with fewer numbers is a line or a box of the layout. */
const minPathLength = 1_000

/** Reads the QR codes that the first page of a PDF draws as one path each, from the top of the page. Text that is not readable is null. */
export async function readQrCodes(pdf: Uint8Array): Promise<(string | null)[]> {
  const page = await (await getDocumentProxy(pdf.slice())).getPage(1)
  const { OPS } = await getResolvedPDFJS()
  const { fnArray, argsArray } = await page.getOperatorList()
  return fnArray.flatMap((operator, index) => {
    if (operator !== OPS.constructPath) return []
    const [, [path]] = argsArray[index] as [number, [Float32Array | null]]
    return path && path.length > minPathLength ? [decode(readModules(path))] : []
  })
}

type Modules = { size: number; isDark: (x: number, y: number) => boolean }

/** Each part of the path is a rectangle of dark modules. */
function readModules(path: Float32Array): Modules {
  const dark = new Set<string>()
  let size = 0
  let corners: [x: number, y: number][] = []
  for (let at = 0; at < path.length;) {
    const operator = path[at]
    if (operator === moveTo || operator === lineTo) {
      corners.push([path[at + 1] as number, path[at + 2] as number])
      at += 3
      continue
    }
    if (operator !== closePath) throw new Error(`The path has an operator ${operator}`)
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
    for (let x = Math.min(...xs); x < Math.max(...xs); x += 1)
      for (let y = Math.min(...ys); y < Math.max(...ys); y += 1) dark.add(`${x} ${y}`)
    size = Math.max(size, ...xs, ...ys)
    corners = []
    at += 1
  }
  return { size, isDark: (x, y) => dark.has(`${x} ${y}`) }
}

function decode({ size, isDark }: Modules): string | null {
  const width = (size + 2 * margin) * scale
  const pixels = new Uint8ClampedArray(width * width * 4)
  for (let y = 0; y < width; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const value = isDark(Math.floor(x / scale) - margin, Math.floor(y / scale) - margin) ? 0 : 255
      pixels.set([value, value, value, 255], (y * width + x) * 4)
    }
  }
  const decoder = jsQR as unknown as typeof jsQR.default
  return decoder(pixels, width, width)?.data ?? null
}
