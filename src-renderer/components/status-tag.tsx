import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { startReceiver, stopReceiver } from '../app/receiver-state.ts'
import { Button } from '../ui/button.tsx'
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

/** Starts or stops the receiver. */
export function ReceiverSwitch({ status }: Pick<ReceiverState, 'status'>) {
  if (status === 'listening') {
    return (
      <Button icon="stop" onClick={() => void stopReceiver()}>
        Stop
      </Button>
    )
  }
  return (
    <Button kind="main" icon="play" onClick={() => void startReceiver()}>
      Start
    </Button>
  )
}
