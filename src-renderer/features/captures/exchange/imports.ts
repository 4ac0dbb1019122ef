/** One import at a time: its file goes to the main process piece by piece. */
import { create } from 'zustand'
import type { CaptureImport } from '../../../../src-preload/contract/exchange.ts'
import type { ErrorBody } from '../../../../src-preload/domain/app-error.ts'
import { on, request, toAppError } from '../../../app/bridge.ts'
import { announce } from '../../../ui/live-region.tsx'
import { type GivenFile, readBase64, readPieces } from '../../../components/files/given-file.ts'

export type ImportState =
  | { readonly status: 'idle' }
  | {
      readonly status: 'reading'
      readonly name: string
      readonly size: number
      /** Null until its beginning is answered. */
      readonly told: CaptureImport | null
    }
  | { readonly status: 'ended'; readonly name: string; readonly told: CaptureImport }
  | { readonly status: 'failed'; readonly name: string; readonly error: ErrorBody }

export const useImport = create<{ readonly isOpen: boolean; readonly now: ImportState }>(() => ({
  isOpen: false,
  now: { status: 'idle' },
}))

let isFollowing = false

export function openImport(): void {
  useImport.setState(({ now }) => ({
    isOpen: true,
    now: now.status === 'reading' ? now : { status: 'idle' },
  }))
}

/** What is read goes on; its end is told when the dialog is opened again, and in the list. */
export function closeImport(): void {
  useImport.setState({ isOpen: false })
}

export async function importFile(file: GivenFile): Promise<void> {
  if (useImport.getState().now.status === 'reading') return
  follow()
  const { name, blob } = file
  const size = blob.size
  useImport.setState({ isOpen: true, now: { status: 'reading', name, size, told: null } })
  announce('Importing')
  try {
    let told = await request('exchange.importStart', { name, bytes: size })
    const { id } = told
    take(told)
    for await (const { base64, to } of readPieces(file, readBase64)) {
      if (told.state !== 'reading') break
      if (base64 === '' && to === 0) break
      told = await request('exchange.importPiece', { id, offset: told.bytes, base64 })
      take(told)
    }
    if (told.state === 'reading') told = await request('exchange.importEnd', { id })
    end(name, told)
  } catch (error) {
    const { code, message } = toAppError(error)
    useImport.setState({ now: { status: 'failed', name, error: { code, message } } })
    announce('The import failed')
  }
}

export async function cancelImport(): Promise<void> {
  const { now } = useImport.getState()
  if (now.status !== 'reading' || now.told === null) return
  const { name, told } = now
  end(name, await request('exchange.importCancel', { id: told.id }))
}

function follow(): void {
  if (isFollowing) return
  isFollowing = true
  on('exchange.importChanged', (told) => {
    const { now } = useImport.getState()
    if (now.status === 'reading' && now.told?.id === told.id && told.state === 'reading') take(told)
  })
}

function take(told: CaptureImport): void {
  useImport.setState(({ now }) => (now.status === 'reading' ? { now: { ...now, told } } : { now }))
}

function end(name: string, told: CaptureImport): void {
  useImport.setState({ now: { status: 'ended', name, told } })
  announce(told.state === 'done' ? 'Imported' : `The import was ${told.state}`)
}
