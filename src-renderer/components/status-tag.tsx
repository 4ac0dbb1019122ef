import type { ReceiverRefusals, ReceiverState } from '../../src-preload/contract/receiver.ts'
import { useData } from '../app/bridge.ts'
import { publicReceiverUrl } from '../app/public-receiver-url.ts'
import { startReceiver, stopReceiver } from '../app/receiver-state.ts'
import { Button } from '../ui/button.tsx'
import { formatNumber } from '../ui/format.ts'
import { Stack, Tag, Text } from '../ui/layout.tsx'
import { Moment } from '../ui/time.tsx'
import { KeyValues } from '../ui/values.tsx'
import { CopyButton } from '../ui/toast.tsx'
import { TunnelLine } from './delivery/tunnel.tsx'

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
  state: { url, problem, port, wantedPort, captured, refused },
}: {
  state: ReceiverState
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
        ['Tunnel', <TunnelLine />],
        ['Since start', `${formatNumber(captured)} captured, ${formatNumber(refused)} rejected`],
        ['Not captured', <Rejections />],
      ]}
    />
  )
}

/** Requests that the receiver rejected without a capture: how many, and the start of the latest. */
function Rejections() {
  const rejections = useData('receiver.refusals').data
  if (rejections === undefined || rejections.total === 0) return <>None</>
  return (
    <details>
      <summary>{formatNumber(rejections.total)} requests since Tondesk started</summary>
      <Stack as="ul">
        {rejections.latest.map((rejection, index) => (
          <Rejection key={`${rejection.at}-${index}`} rejection={rejection} />
        ))}
      </Stack>
    </details>
  )
}

function Rejection({ rejection }: { rejection: ReceiverRefusals['latest'][number] }) {
  const { at, status, reason, peer, start } = rejection
  return (
    <li>
      <Moment at={at} /> {status === null ? 'Closed' : `Responded ${status}`}. {reason}.
      {peer !== '' && ` From ${peer}.`}
      {start !== '' && (
        <Text as="p" mono over="break">
          {start}
        </Text>
      )}
    </li>
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
