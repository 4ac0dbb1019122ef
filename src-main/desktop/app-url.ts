/** The one address the app's own pages have. Pure. */
export const appScheme = 'app'
const appHost = 'tondesk'
const appOrigin = `${appScheme}://${appHost}`

/**
 * Whether a URL is of our own page. By parsing, never by looking at the text: another site's address
 * may hold ours (`https://evil.example/?app://tondesk`, `app://tondesk@evil.example`).
 */
export function isAppUrl(url: string, origin: string = appOrigin): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false
  // `origin` is "null" for schemes that Node does not know.
  return `${parsed.protocol}//${parsed.host}` === origin
}

/** Where pages come from: in development electron-vite's own server, if this app is not installed. */
export function pageOrigin(developmentUrl: string | undefined, isPackaged: boolean): string {
  if (isPackaged || developmentUrl === undefined) return appOrigin
  const parsed = URL.parse(developmentUrl)
  const isLoopback = parsed !== null && ['localhost', '127.0.0.1'].includes(parsed.hostname)
  return isLoopback && parsed.protocol === 'http:' ? parsed.origin : appOrigin
}
