/** Sends a test event to the endpoint of a webhook, after the user has seen the event and the endpoint. */
import { useRef, useState } from 'react'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request, useData } from '../../../app/bridge.ts'
import { captureHref } from '../../../app/route.ts'
import { useForm } from '../../../app/use-form.ts'
import { ResponseContent, ResponseLine } from '../../../components/delivery/target-response.tsx'
import { NetworkStakes, useShownNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { useOpener } from '../../../ui/dialog.tsx'
import { FormDialog } from '../../../ui/form.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { Section, Stack, Text } from '../../../ui/layout.tsx'
import { KeyValues } from '../../../ui/values.tsx'
import { Loaded } from '../../../ui/loaded.tsx'

export function TestEventButton({ webhook }: { webhook: Webhook }) {
  const { isOpen, setOpen, button } = useOpener()
  return (
    <>
      <Button ref={button} icon="play" onClick={() => setOpen(true)}>
        Send test event…
      </Button>
      {isOpen && <TestEventDialog webhook={webhook} onClose={() => setOpen(false)} />}
    </>
  )
}

type Sent = Output<'webhook.sendTestEvent'>

function TestEventDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { network, id } = webhook
  const shown = useShownNetwork()
  const preview = useData('webhook.testEvent', { network, id })
  const [sent, setSent] = useState<Sent | null>(null)
  const result = useRef<HTMLDivElement>(null)
  const form = useForm({}, async () => {
    setSent(null)
    setSent(await request('webhook.sendTestEvent', { network, id }))
    result.current?.scrollIntoView({ block: 'nearest' })
  })
  return (
    <FormDialog
      title={`Send a test event to webhook ${id}?`}
      label="Send a test event"
      detail="The event names an account that does not exist, and the header X-Tondesk-Test marks it as a test. If your backend does not check this header, it may handle the event as a real delivery."
      wide
      form={form}
      action={sent === null ? 'Send test event' : 'Send again'}
      onClose={onClose}
    >
      <NetworkStakes network={shown} />
      <Loaded query={preview} of="the test event" rows={5}>
        {(event) => <Preview event={event} />}
      </Loaded>
      <div ref={result} role="status">
        {sent !== null && <Result sent={sent} isHere={webhook.isHere} />}
      </div>
    </FormDialog>
  )
}

function Preview({ event }: { event: Output<'webhook.testEvent'> }) {
  const { sender, url, headers, body } = event
  return (
    <Stack>
      <Text as="p" size="s">
        {sender === 'gateway'
          ? 'The sandbox sends this request, as it sends every delivery.'
          : 'This computer sends this request to the endpoint. The gateway is not involved.'}
      </Text>
      <CodeBlock label="Request" rows={10} wrap>
        {[`POST ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', body].join(
          '\n',
        )}
      </CodeBlock>
    </Stack>
  )
}

function Result({ sent: { response, capture }, isHere }: { sent: Sent; isHere: boolean }) {
  return (
    <Section title="Response">
      <Stack>
        <ResponseLine response={response} />
        {response.status !== null && <ResponseContent response={response} />}
        {isHere && (
          <KeyValues
            pairs={[
              [
                'Capture',
                capture === null ? (
                  'The event did not arrive at this receiver.'
                ) : (
                  <a key="capture" href={captureHref(capture)}>
                    Capture {formatNumber(capture)}
                  </a>
                ),
              ],
            ]}
          />
        )}
      </Stack>
    </Section>
  )
}
