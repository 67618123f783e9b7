// SPDX-License-Identifier: Apache-2.0

package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "example.com", Version: "v1alpha1"}

// IrisSpec has the fields of the CRD that the reconciler uses.
type IrisSpec struct {
	Image    string `json:"image,omitempty"`
	Replicas *int32 `json:"replicas,omitempty"`
}

// IrisStatus is the whole status that the reconciler writes.
type IrisStatus struct {
	ReadyReplicas      int32 `json:"readyReplicas"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// Iris is the parent.
type Iris struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              IrisSpec   `json:"spec,omitempty"`
	Status            IrisStatus `json:"status,omitempty"`
}

// IrisList is the answer to a list of Irises.
type IrisList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Iris `json:"items"`
}

// DeepCopyObject implements runtime.Object. controller-gen would generate the same code.
func (in *Iris) DeepCopyObject() runtime.Object {
	return in.deepCopy()
}

// DeepCopyObject implements runtime.Object.
func (in *IrisList) DeepCopyObject() runtime.Object {
	out := &IrisList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].deepCopy())
	}
	return out
}

func (in *Iris) deepCopy() *Iris {
	out := new(Iris)
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Spec.Replicas != nil {
		replicas := *in.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	return out
}
