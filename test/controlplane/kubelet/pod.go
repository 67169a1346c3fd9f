package kubelet

import (
	"fmt"
	"time"
)

// Pod is what the stand-in reads of a pod.
type Pod struct {
	Metadata struct {
		Name                       string     `json:"name"`
		Namespace                  string     `json:"namespace"`
		UID                        string     `json:"uid"`
		DeletionTimestamp          *time.Time `json:"deletionTimestamp"`
		DeletionGracePeriodSeconds int64      `json:"deletionGracePeriodSeconds"`
	} `json:"metadata"`
	Spec struct {
		NodeName           string      `json:"nodeName"`
		ServiceAccountName string      `json:"serviceAccountName"`
		RestartPolicy      string      `json:"restartPolicy"`
		Containers         []Container `json:"containers"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// Container is a container of a pod.
type Container struct {
	Image   string   `json:"image"`
	Command []string `json:"command"`
	Args    []string `json:"args"`
	Env     []struct {
		Name      string `json:"name"`
		Value     string `json:"value"`
		ValueFrom any    `json:"valueFrom"`
	} `json:"env"`
	ReadinessProbe *struct {
		HTTPGet struct {
			Path string `json:"path"`
		} `json:"httpGet"`
	} `json:"readinessProbe"`
}

// container is the pod's one container, if this package can run it.
func (p Pod) container() (Container, error) {
	if len(p.Spec.Containers) != 1 || len(p.Spec.Containers[0].Command) == 0 {
		return Container{}, fmt.Errorf("pod %s: wants one container with a command", p.Metadata.Name)
	}
	c := p.Spec.Containers[0]
	for _, e := range c.Env {
		if e.ValueFrom != nil {
			return c, fmt.Errorf("pod %s: variable %s comes from elsewhere, which is not read here", p.Metadata.Name, e.Name)
		}
	}
	return c, nil
}

func (c Container) env() []string {
	var env []string
	for _, e := range c.Env {
		env = append(env, e.Name+"="+e.Value)
	}
	return env
}
