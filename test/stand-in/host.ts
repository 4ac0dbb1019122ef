/** Shared state of the stand-in's parts: the one Chromium, once it runs. */
import { type Browser, startBrowser } from './browser.ts'

let started: Promise<Browser> | undefined

export function browser(userData: () => string): Promise<Browser> {
  return (started ??= startBrowser(userData()))
}
