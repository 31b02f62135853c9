package chart

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/provision-tenants/provision-tenants/fn/krm"
)

// Keys of Secrets, and a type.
const (
	usernameKey      = "username"
	passwordKey      = "password"
	dockerConfigKey  = ".dockerconfigjson"
	dockerConfigType = "kubernetes.io/dockerconfigjson"
	authorityKey     = "ca.crt"
)

// account is a user name and a password.
type account struct{ user, password string }

// dockerConfig is a Docker configuration, as far as it is credentials.
type dockerConfig struct {
	Auths map[string]dockerAuth `json:"auths"`
}

type dockerAuth struct {
	Username string `json:"username,omitempty"`
	Password string `json:"password,omitempty"`
	Auth     string `json:"auth,omitempty"`
}

// basicAuth is the Secret with a user name and password for an HTTP host; nil for
// none.
func (a *adder) basicAuth(host string) *shared {
	ref := a.chart.Credentials
	if ref == nil {
		return nil
	}
	c, found, ok := a.find(ref)
	switch {
	case !ok:
		return nil
	case !found:
		return a.unseen(ref, c.id, "it must hold `username` and `password`")
	}
	config, isConfig := a.dockerConfigOf(&c)
	if !isConfig {
		who, ok := a.accountOf(&c)
		if ok && c.inPlace {
			return existing(c.id.Name)
		}
		return a.copy(&c, who.data(), "", "basic")
	}
	who, known := config.account(host)
	if !known {
		a.badSecret(ref, c.id, "has no credentials for the host "+strconv.Quote(host))
	}
	return a.copy(&c, who.data(), "", "basic for "+host)
}

// ociAuth is the Secret with a Docker configuration for a registry; nil for none.
// seen is false when nobody knows what is in it.
func (a *adder) ociAuth(host string) (secret *shared, seen bool) {
	ref := a.chart.Credentials
	if ref == nil {
		return nil, true
	}
	c, found, ok := a.find(ref)
	switch {
	case !ok:
		return nil, true
	case !found && a.isKeyless():
		return a.unseen(ref, c.id, "it must be of the type "+dockerConfigType), false
	case !found:
		return a.unseen(ref, c.id, "it must hold `username` and `password`, or be of the type "+dockerConfigType), false
	}
	if _, isConfig := a.dockerConfigOf(&c); isConfig {
		key := a.configKey(&c)
		if c.inPlace && c.secretType == dockerConfigType && key == dockerConfigKey {
			return existing(c.id.Name), true
		}
		return a.copy(&c, map[string]string{dockerConfigKey: c.data[key].Text}, dockerConfigType, "docker "+key), true
	}
	who, _ := a.accountOf(&c)
	return a.copy(&c, map[string]string{dockerConfigKey: who.dockerConfig(host)}, dockerConfigType, "docker for "+host), true
}

// configKey is the key that holds a Docker configuration, "" when none does.
func (a *adder) configKey(c *content) string {
	if key := a.chart.CredentialsKey.Text; key != "" {
		return key
	}
	for _, key := range []string{dockerConfigKey, "config.json"} {
		if _, found := c.data[key]; found {
			return key
		}
	}
	return ""
}

// dockerConfigOf reads the Docker configuration of a Secret that has one.
func (a *adder) dockerConfigOf(c *content) (config dockerConfig, isConfig bool) {
	key := a.configKey(c)
	if key == "" {
		return config, false
	}
	if err := json.Unmarshal([]byte(c.data[key].Text), &config); err != nil || len(config.Auths) == 0 {
		a.badSecret(a.chart.Credentials, c.id, "must have a Docker configuration with `auths` in the key "+strconv.Quote(shown(key)))
	}
	return config, true
}

// accountOf reads the user name and the password in a Secret.
func (a *adder) accountOf(c *content) (account, bool) {
	user, hasUser := c.data[usernameKey]
	password, hasPassword := c.data[passwordKey]
	if !hasUser || !hasPassword {
		a.badSecret(a.chart.Credentials, c.id, "must have `username` and `password`, or a Docker configuration in `"+dockerConfigKey+"`")
	}
	return account{user.Text, password.Text}, hasUser && hasPassword
}

// account is whom a Docker configuration knows for a host: entries are hosts, with
// or without a scheme and a path.
func (d dockerConfig) account(host string) (account, bool) {
	for _, name := range slices.Sorted(maps.Keys(d.Auths)) {
		_, rest, found := strings.Cut(name, "://")
		if !found {
			rest = name
		}
		if at, _, _ := strings.Cut(rest, "/"); at != host {
			continue
		}
		auth := d.Auths[name]
		if auth.Username != "" || auth.Password != "" {
			return account{auth.Username, auth.Password}, true
		}
		pair, err := base64.StdEncoding.DecodeString(auth.Auth)
		if user, password, both := strings.Cut(string(pair), ":"); err == nil && both {
			return account{user, password}, true
		}
	}
	return account{}, false
}

func (a account) data() map[string]string {
	return map[string]string{usernameKey: a.user, passwordKey: a.password}
}

func (a account) dockerConfig(host string) string {
	auth := base64.StdEncoding.EncodeToString([]byte(a.user + ":" + a.password))
	data, err := json.Marshal(dockerConfig{map[string]dockerAuth{host: {a.user, a.password, auth}}})
	if err != nil {
		return "" // strings always have a JSON form
	}
	return string(data)
}

// authority is the Secret with the certificate authority; nil for none. A
// certificate beside it would be the client's for Flux, and is not for Sveltos.
func (a *adder) authority() *shared {
	return a.someKeys(a.chart.CA, "authority", "it must hold `"+authorityKey+"`, and be of the type Opaque", func(key string) bool { return key == authorityKey })
}

// signatureKeys is the Secret with the public keys; nil for none.
func (a *adder) signatureKeys() *shared {
	if a.chart.Signature == nil {
		return nil
	}
	return a.someKeys(a.chart.Signature.Secret, "keys", "it must hold a public key such as `cosign.pub`", func(key string) bool { return strings.HasSuffix(key, ".pub") })
}

// someKeys is a Secret of which Flux is to see some keys only.
func (a *adder) someKeys(ref *Reference, variant, needs string, wanted func(string) bool) *shared {
	if ref == nil {
		return nil
	}
	c, found, ok := a.find(ref)
	switch {
	case !ok:
		return nil
	case !found:
		return a.unseen(ref, c.id, needs)
	}
	data := map[string]string{}
	for key, value := range c.data {
		if wanted(key) {
			data[key] = value.Text
		}
	}
	if len(data) == 0 {
		a.badSecret(ref, c.id, "is of no use: "+needs)
	}
	if c.inPlace && len(data) == len(c.data) && (c.secretType == "" || c.secretType == "Opaque") {
		return existing(c.id.Name)
	}
	return a.copy(&c, data, "", variant)
}

func (a *adder) isKeyless() bool {
	return a.chart.Signature != nil && len(a.chart.Signature.Identities) > 0
}

func (a *adder) badSecret(ref *Reference, id krm.Identity, what string) {
	a.rep.Errorf("chart-secret", ref.Pos, "", "%s %s", id.Title(), what)
}
