/**
 * The app's URL `app://host/path` becomes `https://host.app.test/path` for Chromium, which does not
 * know `app:`.
 */
const suffix = '.app.test'

export function toChromium(url: string): string {
  return url.replace(/^app:\/\/([^/?#]+)/, `https://$1${suffix}`)
}

export function toApp(url: string): string {
  return url.replace(/^https:\/\/([^/?#@:]+)\.app\.test(?=[/?#]|$)/, 'app://$1')
}

export function isAppAddress(chromiumUrl: string): boolean {
  return toApp(chromiumUrl) !== chromiumUrl
}
