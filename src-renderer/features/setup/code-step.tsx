import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { request } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { setupHome } from '../../app/setup-route.ts'
import { useForm } from '../../app/use-form.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'
import { ResponseContent, formatResponse } from '../../components/delivery/target-response.tsx'
import { TargetField, confirmUrl, recentTargets } from '../../components/delivery/targets.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { HandlerSnippet } from '../../components/start/handler-snippet.tsx'
import { Form } from '../../ui/form.tsx'
import { Fold, Hint, Note, Section, Stack } from '../../ui/layout.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { describeBackendProblem } from './setup-state.ts'
import { type StepProps, useBackendTest } from './use-setup.ts'

export function CodeStep({ network, setup: { webhook, backend } }: StepProps) {
  const loadToken = async () => {
    const { network = '', id = '' } = webhook ?? {}
    return (await request('webhook.revealToken', { network, id })).token
  }
  return (
    <>
      <Section title="Receiver">
        <HandlerSnippet>
          {webhook !== null && webhook.tokenHint !== null && (
            <CopyButton text={loadToken} what="Token" label="Copy token" />
          )}
        </HandlerSnippet>
      </Section>
      <Section title="Test your backend">
        {webhook === null ? (
          <WithoutWebhook network={network} />
        ) : (
          <Stack>
            <TestForm webhook={webhook} hasResult={backend !== null} />
            <div role="status">{backend !== null && <Result {...backend} />}</div>
          </Stack>
        )}
      </Section>
      <Section title="Send events to your backend">
        <Stack as="ul" gap="xs">
          <li>
            <Hint>
              While you develop, Tondesk can send each event that arrives here on to your backend,
              with its token.{' '}
              <a href={routeHref({ page: 'delivery', view: 'forwarding', rule: null })}>
                Add a forwarding rule
              </a>
            </Hint>
          </li>
          <li>
            <Hint>
              In production, create a second webhook with the public URL of your backend. Its token
              differs from the token of this receiver.{' '}
              <a href={routeHref(webhooksHome)}>Open the webhooks</a>
            </Hint>
          </li>
        </Stack>
      </Section>
    </>
  )
}

function WithoutWebhook({ network }: Pick<StepProps, 'network'>) {
  return (
    <Hint>
      A test event carries the token of the webhook.{' '}
      <a href={routeHref({ ...setupHome, network: network.id, step: 'webhook' })}>
        Create the webhook first
      </a>
    </Hint>
  )
}

/** The address of the example receivers if PORT is not set. */
const defaultUrl = 'http://localhost:8080'

function TestForm({ webhook, hasResult }: { webhook: Webhook; hasResult: boolean }) {
  const { network, id } = webhook
  const recent = recentTargets.use((state) => state.recent)
  const form = useForm({ url: recent[0] ?? defaultUrl }, async (typed) => {
    const url = typed.url.trim()
    const refused = await confirmUrl(url, 'The test event', 'the token of the webhook')
    if (refused !== null) return { url: refused }
    useBackendTest.setState({ last: null })
    const { response } = await request('webhook.sendTestEvent', { network, id, url })
    recentTargets.remember(url)
    useBackendTest.setState({ last: { webhook: { network, id }, url, response } })
  })
  return (
    <Form
      form={form}
      inline
      label="Test your backend"
      action={form.busy ? 'Sending…' : hasResult ? 'Send again' : 'Send test event'}
    >
      <Hint>
        Start the receiver with the token of webhook {id}, then enter its URL. This computer sends
        one event to the URL. The header <code>X-Tondesk-Test</code> marks the event as a test, and
        its account does not exist.
      </Hint>
      <TargetField label="URL of your backend" suggestions={recent} {...form.field('url')} />
    </Form>
  )
}

function Result({ url, response }: NonNullable<StepProps['setup']['backend']>) {
  const problem = describeBackendProblem(response)
  return (
    <Stack>
      <Note tone={problem === null ? 'ok' : 'bad'} role={undefined}>
        {problem === null ? (
          `${url} accepted the test event: ${formatResponse(response)}.`
        ) : (
          <UntrustedText text={problem} />
        )}
      </Note>
      {response.status !== null && (
        <Fold summary={`Response: ${formatResponse(response)}`} lazy>
          <ResponseContent response={response} />
        </Fold>
      )}
    </Stack>
  )
}
