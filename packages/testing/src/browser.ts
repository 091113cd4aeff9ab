/** A browser without scripts: follows redirects, keeps cookies by host and path, posts forms. Other sites are told, not visited. */
export interface Browser {
  get(url: string, headers?: Record<string, string>): Promise<Visit>
  post(url: string, fields: Record<string, string>): Promise<Visit>
  /** Sends the form whose action ends like this, its hidden fields and these. */
  submit(visit: Visit, fields: Record<string, string>, actionEnding?: string): Promise<Visit>
  /** What a DevTools window would list. */
  cookies(): readonly BrowserCookie[]
}

/** Where the browser came to rest: a page, or an address of another site. */
export interface Visit {
  url: URL
  status: number
  headers: Headers
  body: string
}

export interface BrowserCookie {
  name: string
  value: string
  host: string
  path: string
  /** Attributes as they were set, in lower case. */
  attributes: readonly string[]
}

/** `origins` are visited; a redirect to elsewhere ends the visit there. */
export function createBrowser(origins: readonly string[]): Browser {
  let jar: BrowserCookie[] = []

  async function visit(url: URL, init: RequestInit): Promise<Visit> {
    const headers = new Headers(init.headers)
    if (!headers.has('accept')) headers.set('accept', 'text/html')
    const cookie = jar.filter((each) => sentTo(each, url)).map(({ name, value }) => `${name}=${value}`)
    if (cookie.length > 0) headers.set('cookie', cookie.join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(line, url)
    const body = await response.text()
    const location = response.headers.get('location')
    if (location === null) return { url, status: response.status, headers: response.headers, body }
    const next = new URL(location, url)
    if (origins.includes(next.origin)) return visit(next, { headers: { accept: 'text/html' } })
    return { url: next, status: response.status, headers: response.headers, body }
  }

  function keep(line: string, { hostname: host }: URL): void {
    const [pair = '', ...rest] = line.split(';').map((part) => part.trim())
    const attributes = rest.map((attribute) => attribute.toLowerCase())
    const name = pair.slice(0, pair.indexOf('='))
    const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice('path='.length) ?? '/'
    jar = jar.filter((each) => each.name !== name || each.path !== path || each.host !== host)
    const isGone = attributes.some((attribute) => attribute.startsWith('expires=thu, 01 jan 1970'))
    if (!isGone) jar.push({ name, value: pair.slice(name.length + 1), host, path, attributes })
  }

  const post = (url: string | URL, fields: URLSearchParams) =>
    visit(new URL(url), {
      method: 'POST',
      body: fields.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  return {
    get: (url, headers) => visit(new URL(url), headers ? { headers } : {}),
    post: (url, fields) => post(url, new URLSearchParams(fields)),
    submit(from, fields, actionEnding = '') {
      const form = formsOf(from).find(({ action }) => action.endsWith(actionEnding))
      if (!form) throw new Error(`No form on ${from.url.href} (${from.status}):\n${from.body.slice(from.body.indexOf('<main'))}`)
      return post(new URL(form.action, from.url), new URLSearchParams([...form.hidden, ...Object.entries(fields)]))
    },
    cookies: () => jar,
  }
}

/** Paths are compared in lower case, because attributes are kept so; the paths of these tests differ in more. */
function sentTo({ host, path }: BrowserCookie, { hostname, pathname }: URL): boolean {
  const asked = pathname.toLowerCase()
  return host === hostname && (asked === path || asked.startsWith(path.endsWith('/') ? path : `${path}/`))
}

interface Form {
  action: string
  hidden: [string, string][]
}

function formsOf({ body }: Visit): Form[] {
  return [...body.matchAll(/<form\b[^>]*\baction="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', inner = '']) => ({
    action: unescape(action),
    hidden: [...inner.matchAll(/<input\b[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      unescape(value),
    ]),
  }))
}

function unescape(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&')
}
