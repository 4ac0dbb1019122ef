/** The shared state of the stand-in's parts: the running Chromium. */
import { type Browser, startBrowser } from './browser.ts'

let started: Promise<Browser> | undefined

export function browser(userData: () => string): Promise<Browser> {
  return (started ??= startBrowser(userData()))
}
