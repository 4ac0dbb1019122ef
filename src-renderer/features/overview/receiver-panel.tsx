import type { ReceiverRefusals, ReceiverState } from '../../../src-preload/contract/receiver.ts'
import { useData } from '../../app/bridge.ts'
import { TunnelLine } from '../../components/delivery/tunnel.tsx'
import { SampleCommand } from '../../components/start/first-capture.tsx'
import { ReceiverFacts, ReceiverSwitch, StatusTag } from '../../components/status-tag.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Text, Row, Section, Stack } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'

export function ReceiverPanel() {
  return (
    <Loaded query={useData('receiver.state')} of="the state of the receiver" rows={4}>
      {(state) => <Receiver state={state} />}
    </Loaded>
  )
}

function Receiver({ state }: { state: ReceiverState }) {
  const { status, url, captured, refused } = state
  return (
    <Section
      title="Receiver"
      level={2}
      actions={
        <>
          <StatusTag state={state} />
          <Row last gap="s">
            {url !== null && <CopyButton text={url} what="Receiver URL" label="Copy URL" />}
            <ReceiverSwitch status={status} />
          </Row>
        </>
      }
    >
      <Stack>
        <ReceiverFacts
          state={state}
          more={[
            ['Tunnel', <TunnelLine />],
            [
              'Since start',
              `${formatNumber(captured)} captured, ${formatNumber(refused)} rejected`,
            ],
            ['Not captured', <Rejections />],
          ]}
        />
        {url !== null && (
          <details>
            <Text as="summary" size="s">
              Send a sample webhook
            </Text>
            <SampleCommand url={url} />
          </details>
        )}
      </Stack>
    </Section>
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
