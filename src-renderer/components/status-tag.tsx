import type { ReactNode } from 'react'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { useData } from '../app/bridge.ts'
import { publicReceiverUrl } from '../app/public-receiver-url.ts'
import { startReceiver, stopReceiver } from '../app/receiver-state.ts'
import { Button } from '../ui/button.tsx'
import { Tag, Text } from '../ui/layout.tsx'
import { KeyValues } from '../ui/values.tsx'
import { CopyButton } from '../ui/toast.tsx'

/** Shows the receiver's state in a word. */
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

/** Shows the URLs of the receiver, its problem with listening, and other facts. */
export function ReceiverFacts({
  state: { url, problem, port, wantedPort },
  more = [],
}: {
  state: ReceiverState
  more?: readonly (readonly [name: string, value: ReactNode])[]
}) {
  const publicUrl = useData('settings.get').data?.receiver.publicUrl ?? null
  const outside = publicReceiverUrl(publicUrl, url)
  const isOther = wantedPort !== null && port !== null && wantedPort !== port
  return (
    <KeyValues
      pairs={[
        ['URL', url && <Text mono>{url}</Text>],
        [
          'Public URL',
          outside && (
            <>
              <Text mono>{outside}</Text>{' '}
              <CopyButton text={outside} what="Public URL" iconOnly kind="quiet" />
            </>
          ),
        ],
        ['Problem', problem],
        ['Port', isOther ? `${port}. Port ${wantedPort} is taken by another program.` : null],
        ...more,
      ]}
    />
  )
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
