import type { AppError } from '../../src-preload/domain/app-error.ts'
import { toAppError } from './bridge.ts'
import { showToast } from '../ui/toast.tsx'

/**
 * Runs what a button asked for. A failure is told in a toast that names what did not work; the
 * result is then undefined.
 */
export async function attempt<T>(failure: string, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    const { message }: AppError = toAppError(error)
    showToast({ title: failure, detail: message, tone: 'bad' })
    return undefined
  }
}
