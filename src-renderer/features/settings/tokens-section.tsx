import type { WebhookToken } from '../../../src-preload/contract/secret.ts'
import { confirmAndRun, reload, request, useData } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { SettingsSection } from '../../components/settings.tsx'
import { Button } from '../../ui/button.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { fromMs } from '../../ui/format.ts'
import { Hint, Row, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Table, column } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { KeychainState } from '../../components/keychain-state.tsx'

export function TokensSection() {
  const tokens = useData('webhookToken.list')
  const place = useData('secrets.state').data?.place
  const canAdd = place !== undefined && place !== 'none'
  const { isOpen, setOpen, button } = useOpener()
  return (
    <SettingsSection
      id="tokens"
      detail="The gateway sends the bearer token of a webhook with each delivery. Tondesk checks deliveries against the tokens that you add here. Tondesk shows only the last four characters of a saved token."
    >
      <KeychainState what="Tokens" />
      <Loaded query={tokens} of="the tokens" rows={2}>
        {(list) =>
          list.length > 0 ? (
            <Tokens tokens={list} />
          ) : (
            <Hint>
              No tokens added yet, so Tondesk does not check deliveries of real gateways. Sandbox
              webhooks need no token here.
            </Hint>
          )
        }
      </Loaded>
      {isOpen && canAdd ? (
        <AddToken onClose={() => setOpen(false)} />
      ) : (
        <Row>
          <Button
            ref={button}
            icon="plus"
            aria-disabled={!canAdd}
            onClick={() => canAdd && setOpen(true)}
          >
            Add a token
          </Button>
          {place === 'none' && (
            <Small>To add a token, first choose above where tokens are stored.</Small>
          )}
        </Row>
      )}
    </SettingsSection>
  )
}

function Tokens({ tokens }: { tokens: readonly WebhookToken[] }) {
  return (
    <Table<WebhookToken>
      label="Webhook tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[
        column('Name', {}, ({ label }) => label),
        column('Token', {}, ({ hint, present }) => (
          <Row>
            <Text mono>…{hint}</Text>
            {!present && (
              <Tag
                tone="warn"
                title="The keychain does not contain this token. It was deleted from the keychain, or was kept in memory only until Tondesk quit. Remove the token and add it again."
              >
                lost, add it again
              </Tag>
            )}
          </Row>
        )),
        column('Added', { look: 'dim' }, ({ createdAt }) => <Moment at={fromMs(createdAt)} />),
        column('Actions', { hideName: true }, (token) => (
          <Row justify="end">
            <Button
              kind="quiet"
              icon="trash"
              aria-label={`Remove ${token.label}…`}
              onClick={() => void removeToken(token)}
            >
              Remove…
            </Button>
          </Row>
        )),
      ]}
    />
  )
}

function AddToken({ onClose }: { onClose: () => void }) {
  const form = useForm({ label: '', token: '' }, async (values) => {
    const added = await request('webhookToken.add', values)
    reload('webhookToken.list')
    showToast({ title: `Token “${added.label}” added` })
    onClose()
  })
  return (
    <Form inline form={form} action="Add" onCancel={onClose}>
      <TextField label="Name" placeholder="Shop webhook" autoFocus {...form.field('label')} />
      <TextField
        label="Token"
        type="password"
        autoComplete="new-password"
        mono
        {...form.field('token')}
      />
    </Form>
  )
}

async function removeToken({ id, label, hint }: WebhookToken): Promise<void> {
  const done = await confirmAndRun({
    title: `Remove the token “${label}”?`,
    detail: `The token that ends in ${hint} is deleted from this computer, but stays valid at the gateway. Tondesk then marks deliveries with this token as “wrong token”. If this is the last token, Tondesk no longer checks deliveries.`,
    action: 'Remove',
    failure: 'Could not remove the token',
    run: () => request('webhookToken.remove', { id }),
  })
  if (done === undefined) return
  reload('webhookToken.list')
  showToast({ title: `Token “${label}” removed` })
}
