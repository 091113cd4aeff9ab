import { posix } from 'node:path'

/** The tracked files of a checkout, and the text of its Markdown files. */
export interface Checkout {
  files: readonly string[]
  read(file: string): string
}

const fence = /^\s*(```|~~~)/
const link = /\[[^\]]*\]\(([^)\s]+)\)/g
const code = /`([^`\s]+)`/g
const extension = /\.(ts|mjs|cjs|md|sql|conf|ya?ml|json|sh|svg)$/
/** Files of these kinds are sources; a bare name of another kind may be data that a command writes. */
const source = /\.(ts|mjs|cjs|md|sql|conf|sh)$/
/** A path that begins in one of these folders, or in a workspace, is meant as a path of the repository. */
const roots = /^(services|packages|tools|e2e|bench|docs|infra|examples|\.ci)\//

/** Finds relative links, anchors and back-ticked paths of a Markdown file that do not exist, as `line: problem`. */
export function findBrokenReferences(file: string, checkout: Checkout): string[] {
  const known = new Set(checkout.files)
  const folders = new Set(checkout.files.flatMap(parents))
  const names = new Set(checkout.files.map((each) => posix.basename(each)))
  const all = [...known, ...folders]
  const exists = (path: string) => known.has(path) || folders.has(path.replace(/\/$/, ''))
  const here = posix.dirname(file)
  const isKnown = (path: string) =>
    path.startsWith('.')
      ? exists(posix.normalize(posix.join(here, path))) || exists(path)
      : exists(path) || all.some((each) => each.endsWith(`/${path}`))
  const isBrokenLink = (target: string): boolean => {
    if (/^[a-z]+:/.test(target)) return false
    const [path = '', anchor] = target.split('#')
    const wanted = path ? posix.normalize(posix.join(here, path)) : file
    if (!exists(wanted)) return true
    return Boolean(anchor) && wanted.endsWith('.md') && !findAnchors(checkout.read(wanted)).has(anchor as string)
  }
  const isBrokenPath = (text: string): boolean => {
    const path = text.replace(/[:#]\d+$/, '')
    if (!/^[\w@.‹›*{},-]+(\/[\w@.‹›*{},-]+)*\/?$/.test(path) || /[*‹{]/.test(path)) return false
    if (!path.includes('/')) return source.test(path) && /^[a-z]/.test(path) && !names.has(path)
    const isMeant = roots.test(path) || folders.has(`services/${path.split('/')[0]}/src`) || extension.test(path)
    return isMeant && !path.startsWith('.quittance') && !isKnown(path.replace(/\/$/, ''))
  }
  // The changelog names what there was.
  const isRecord = file === 'CHANGELOG.md'
  return linesOutsideFences(checkout.read(file)).flatMap(([number, text]) => [
    ...[...text.matchAll(link)].filter(([, target]) => isBrokenLink(target as string)).map(([, target]) => `${number}: no ${target}`),
    ...[...text.matchAll(code)]
      .filter(([, path]) => !isRecord && isBrokenPath(path as string))
      .map(([, path]) => `${number}: no file ${path}`),
  ])
}

function linesOutsideFences(text: string): [number, string][] {
  let isFenced = false
  return text.split('\n').flatMap((line, index): [number, string][] => {
    if (fence.test(line)) isFenced = !isFenced
    return isFenced ? [] : [[index + 1, line]]
  })
}

function parents(file: string): string[] {
  const parent = posix.dirname(file)
  return parent === '.' ? [] : [parent, ...parents(parent)]
}

/** Anchors of headings, as GitHub builds them. */
export function findAnchors(text: string): Set<string> {
  const headings = linesOutsideFences(text).flatMap(([, line]) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/`|\[|\]\([^)]*\)/g, '')
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  )
}

/** Packages whose README names every source file. */
const complete = ['packages/runtime', 'packages/sql']

/** Returns source files that the README of their package does not name, as `README: problem`. */
export function findUnnamedFiles({ files, read }: Checkout): string[] {
  return complete.flatMap((folder) => {
    const readme = `${folder}/README.md`
    const text = read(readme)
    const sources = files.filter((file) => file.startsWith(`${folder}/src/`) && !file.endsWith('.test.ts'))
    return sources.filter((file) => !text.includes(`\`${posix.basename(file)}\``)).map((file) => `${readme}: does not name ${file}`)
  })
}
