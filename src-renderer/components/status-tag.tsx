import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { Tag } from '../ui/layout.tsx'

/** The receiver's state in a word. */
export function StatusTag({ state }: { state: ReceiverState }) {
  switch (state.status) {
    case 'listening':
      return state.writable ? <Tag tone="ok">listening</Tag> : <Tag tone="bad">not writable</Tag>
    case 'stopped':
      return <Tag tone="plain">stopped</Tag>
    case 'failed':
      return <Tag tone="bad">failed</Tag>
  }
}
