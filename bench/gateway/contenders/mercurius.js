import mercuriusGateway from '@mercuriusjs/gateway'
import fastify from 'fastify'

/** Mercurius Gateway, with its just-in-time compiler. */
export async function start({ urls }) {
  const app = fastify()
  const services = Object.entries(urls).map(([name, url]) => ({ name, url, mandatory: true }))
  await app.register(mercuriusGateway, { gateway: { services }, path: '/' })
  await app.ready()
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server.address().port
}
