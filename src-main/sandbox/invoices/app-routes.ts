import type { Context, Hono } from 'hono'
import { answerJson, HttpProblem, readJson } from '../http.ts'
import type { Access } from './access.ts'
import { type Application, projectId } from './application.ts'
import { readAppChange, readAppForm, readWebhook } from './app-input.ts'
import { wrong } from './fields.ts'
import type { AppWebhook, InvoiceApp } from './invoice.ts'
import { appJson } from './invoice-json.ts'
import { readInteger } from './list-query.ts'
import { resource } from './resource.ts'

export const bodyLimitBytes = 1024 * 1024

/** The application, its webhooks and its token (gateway-facts 3.2). */
export function addAppRoutes(
  routes: Hono,
  deps: { readonly application: Application; readonly access: Access },
): void {
  const { application, access } = deps
  const answer = (app: InvoiceApp, status = 200) => answerJson({ app: appJson(app) }, status)

  resource(routes, '/app', {
    async POST(context) {
      requireProject(context)
      return answer(application.register(readAppForm(await readJson(context, bodyLimitBytes))), 201)
    },
    GET(context) {
      requireProject(context)
      return answer(appOf(context, application))
    },
  })
  resource(routes, '/app/:id', {
    async PATCH(context) {
      const change = readAppChange(await readJson(context, bodyLimitBytes))
      return answer(application.change(namedApp(context, application), change))
    },
    DELETE(context) {
      application.remove(namedApp(context, application))
      return answerJson({})
    },
  })
  resource(routes, '/app/:id/webhook', {
    async POST(context) {
      const url = readWebhook(await readJson(context, bodyLimitBytes))
      return answer(application.addWebhook(namedApp(context, application), url))
    },
  })
  resource(routes, '/app/:id/webhook/:webhook', {
    async PATCH(context) {
      const url = readWebhook(await readJson(context, bodyLimitBytes))
      const app = namedApp(context, application)
      return answer(application.changeWebhook(app, namedWebhook(context, app), url))
    },
    DELETE(context) {
      const app = namedApp(context, application)
      return answer(application.removeWebhook(app, namedWebhook(context, app)))
    },
  })
  resource(routes, '/token', {
    GET(context) {
      appOf(context, application)
      return answerJson({ token: access.token() })
    },
    PATCH(context) {
      appOf(context, application)
      return answerJson({ token: access.regenerateToken() })
    },
  })
}

/**
 * The application, which `app_id` may name: the token says it too, there is but one.
 * @throws HttpProblem 404 when there is none, or another was meant
 */
export function appOf(context: Context, application: Application): InvoiceApp {
  const id = readInteger(context, 'app_id')
  const app = application.get()
  if (app === null) throw new HttpProblem(404, 'no application is registered: POST …/app first')
  if (id !== undefined && id !== BigInt(app.id)) {
    throw new HttpProblem(404, `application ${id} not found`)
  }
  return app
}

function namedApp(context: Context, application: Application): InvoiceApp {
  const id = context.req.param('id') ?? ''
  if (!/^\d{1,40}$/.test(id)) throw wrong('the application id', 'must be a number')
  const app = application.get()
  if (app === null || BigInt(id) !== BigInt(app.id)) {
    throw new HttpProblem(404, `application ${id} not found`)
  }
  return app
}

function namedWebhook(context: Context, app: InvoiceApp): AppWebhook {
  const id = context.req.param('webhook') ?? ''
  const webhook = app.webhooks.find((each) => String(each.id) === id)
  if (webhook === undefined) throw new HttpProblem(404, `webhook ${id} not found`)
  return webhook
}

function requireProject(context: Context): void {
  const id = readInteger(context, 'project_id')
  if (id !== undefined && id !== BigInt(projectId)) {
    throw new HttpProblem(404, `project ${id} not found`)
  }
}
