import type { Settings, SettingsPatch } from '../../src-preload/contract/settings.ts'
import { request, put } from './bridge.ts'

/** Changes some of them. @throws AppError INVALID_INPUT with the fields that were wrong */
export async function changeSettings(patch: SettingsPatch): Promise<Settings> {
  const next = await request('settings.change', patch)
  put('settings.get', undefined, next)
  return next
}
